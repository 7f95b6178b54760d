import type { AccountSummary } from "@gantry/client";
import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { Panel } from "../controls/panel.js";
import styles from "./overview.module.css";

interface Step {
  to: string;
  text: string;
  /** What it makes. */
  about: string;
  isDone: boolean;
}

/** What an account needs before its first servers run. */
export function FirstSteps({ account, summary: { records } }: { account: string; summary: AccountSummary }) {
  const has = (type: string) => (records[type]?.count ?? 0) > 0;
  if (has("server") || has("database_service")) return null;
  const steps: Step[] = [
    {
      to: "/$account/providers",
      text: "Add a provider",
      about: "an AWS account in which Gantry works. Gantry finds its regions.",
      isDone: has("provider"),
    },
    {
      to: "/$account/networks/new",
      text: "Provision a network",
      about: "a VPC in a region. You see its plan and its cost before anything is made.",
      isDone: has("network"),
    },
    {
      to: "/$account/environments",
      text: "Create an environment",
      about: "the servers of an application and their settings. It costs nothing yet.",
      isDone: has("environment"),
    },
    {
      to: "/$account/environments",
      text: "Boot its servers",
      about: "from the page of the environment, after a plan with the cost of a month.",
      isDone: false,
    },
  ];
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <Panel title="First steps">
      <ol className={styles.steps}>
        {steps.map(({ to, text, about, isDone }, index) => (
          <li key={text} className={styles.step}>
            <span className={styles.number}>{isDone ? <Check aria-label="done" /> : index + 1}</span>
            <span>
              {index <= next ? (
                <Link to={to as string} params={{ account } as never}>
                  {text}
                </Link>
              ) : (
                text
              )}
              : {about}
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
