import type { AccountSummary } from "@gantry/client";
import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { Panel } from "../controls/panel.js";
import styles from "./overview.module.css";

/** What an account without a network needs first. */
export function FirstSteps({ account, summary: { records } }: { account: string; summary: AccountSummary }) {
  const hasProvider = (records.provider?.count ?? 0) > 0;
  if ((records.network?.count ?? 0) > 0) return null;
  return (
    <Panel title="First steps">
      <ol className={styles.steps}>
        <Step number={1} isDone={hasProvider}>
          <Link to="/$account/providers" params={{ account }}>
            Add a provider
          </Link>
          : an AWS account in which Gantry works. Gantry checks its permissions.
        </Step>
        <Step number={2} isDone={hasProvider}>
          {hasProvider ? (
            <Link to="/$account/providers" params={{ account }}>
              Discover its regions
            </Link>
          ) : (
            "Discover its regions"
          )}
          , or choose one when you provision.
        </Step>
        <Step number={3} isDone={false}>
          <Link to="/$account/networks/new" params={{ account }}>
            Provision a network
          </Link>
          : you see its plan and its cost before anything is made.
        </Step>
      </ol>
    </Panel>
  );
}

function Step({ number, isDone, children }: { number: number; isDone: boolean; children: ReactNode }) {
  return (
    <li className={styles.step}>
      <span className={styles.number}>{isDone ? <Check aria-label="done" /> : number}</span>
      <span>{children}</span>
    </li>
  );
}
