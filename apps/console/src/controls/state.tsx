import type { Request, Stage } from "@gantry/client";
import { Ban, Check, CircleDashed, Hourglass, LoaderCircle, TriangleAlert, Undo2, X } from "lucide-react";
import styles from "./state.module.css";

type StateName = Request["state"] | Stage["state"] | "not reached";

const LOOKS: Record<StateName, { icon: typeof Check; tone: string; word?: string }> = {
  pending: { icon: CircleDashed, tone: "idle" },
  running: { icon: LoaderCircle, tone: "busy" },
  waiting: { icon: Hourglass, tone: "busy" },
  cancelling: { icon: Undo2, tone: "warn" },
  rolling_back: { icon: Undo2, tone: "warn", word: "rolling back" },
  finished: { icon: Check, tone: "good" },
  failed: { icon: X, tone: "bad" },
  cancelled: { icon: Ban, tone: "idle" },
  "not reached": { icon: CircleDashed, tone: "idle" },
};

export const REQUEST_STATES = Object.keys(LOOKS).filter((state) => state !== "not reached");

const MARKS = { idle: CircleDashed, busy: LoaderCircle, warn: TriangleAlert, good: Check, bad: X } as const;

/** A word with an icon and a color, for records with other states than a Request. */
export function Mark({ tone, children }: { tone: keyof typeof MARKS; children: string }) {
  const Icon = MARKS[tone];
  return (
    <span className={`${styles.state} ${styles[tone]}`}>
      <Icon aria-hidden />
      {children}
    </span>
  );
}

/** A state as an icon and a word; its color only repeats them. */
export function State({ state }: { state: StateName }) {
  const { icon: Icon, tone, word = state } = LOOKS[state];
  return (
    <span className={`${styles.state} ${styles[tone]}`}>
      <Icon aria-hidden className={state === "running" ? styles.turning : undefined} />
      {word}
    </span>
  );
}
