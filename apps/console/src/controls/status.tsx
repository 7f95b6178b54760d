import { Ban, Check, CircleDashed, CirclePause, LoaderCircle, X } from "lucide-react";
import styles from "./state.module.css";

const GOOD = { icon: Check, tone: "good" };
const BUSY = { icon: LoaderCircle, tone: "busy" };
const BAD = { icon: X, tone: "bad" };
const GONE = { icon: Ban, tone: "idle" };

const LOOKS: Record<string, { icon: typeof Check; tone: string }> = {
  ready: GOOD,
  running: GOOD,
  available: GOOD,
  "in-use": GOOD,
  completed: GOOD,
  "being made": BUSY,
  "being removed": BUSY,
  pending: BUSY,
  starting: BUSY,
  stopping: BUSY,
  stopped: { icon: CirclePause, tone: "warn" },
  error: BAD,
  gone: BAD,
  removed: GONE,
  deleted: GONE,
  terminated: GONE,
};
const UNKNOWN = { icon: CircleDashed, tone: "idle" };

/** The state of a record as an icon and a word; its color only repeats them. */
export function Status({ state }: { state: string }) {
  const { icon: Icon, tone } = LOOKS[state] ?? UNKNOWN;
  return (
    <span className={`${styles.state} ${styles[tone]}`}>
      <Icon aria-hidden />
      {state}
    </span>
  );
}

interface Timed {
  deleted_at: string | null;
  disappeared_at?: string | null;
  removal_started_at?: string | null;
  provisioned_id?: string | null;
}

/** The state of a record that shows it by its times. */
export function stateOf({ deleted_at, disappeared_at, removal_started_at, provisioned_id }: Timed): string {
  if (deleted_at) return "removed";
  if (disappeared_at) return "gone";
  if (removal_started_at) return "being removed";
  return provisioned_id === null ? "being made" : "ready";
}
