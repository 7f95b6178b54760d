import type { AccountSummary } from "@gantry/client";
import { Link } from "@tanstack/react-router";
import { ChevronRight, CircleAlert, Diff, PackageX, ShieldAlert, Unplug, X } from "lucide-react";
import { Empty } from "../controls/notice.js";
import { Panel } from "../controls/panel.js";
import { countOf, sumOf } from "../controls/summary.js";
import styles from "./overview.module.css";

/** What is wrong in an account, each with the page that shows it. */
export function Attention({ account, summary }: { account: string; summary: AccountSummary }) {
  const lines = linesOf(summary);
  return (
    <Panel title="Needs attention">
      {lines.length === 0 && <Empty title="Nothing needs attention" />}
      {lines.length > 0 && (
        <ul>
          {lines.map(({ icon: Icon, tone, text, hint, to, search }) => (
            <li key={text}>
              <Link
                to={to as string}
                params={{ account } as never}
                search={search as never}
                className={`${styles.line} ${styles[tone]}`}
              >
                <Icon aria-hidden />
                <strong>{text}</strong>
                <span>{hint}</span>
                <ChevronRight aria-hidden />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function linesOf({
  failed_requests_in_24_hours: failed,
  leaked_resources: leaks,
  drift,
  alerts,
  disabled,
}: AccountSummary) {
  const findings = sumOf(drift);
  const raised = sumOf(alerts);
  const webhooks = disabled.webhooks ?? NONE;
  const regions = disabled.regions ?? NONE;
  const critical = alerts.critical?.count ?? 0;
  return [
    {
      count: failed,
      icon: X,
      tone: "bad",
      text: `${countOf(failed, "Request")} failed`,
      hint: "in the last 24 hours",
      to: "/$account/requests",
      search: { state: "failed" },
    },
    {
      count: leaks,
      icon: PackageX,
      tone: "warn",
      text: `${countOf(leaks, "object")} left in AWS`,
      hint: "that Requests could not remove",
      to: "/$account/drift",
      search: { tab: "leaks" },
    },
    {
      count: findings,
      icon: Diff,
      tone: "warn",
      text: `${countOf(findings, "finding")} of drift`,
      hint: kindsText(drift),
      to: "/$account/drift",
      search: {},
    },
    {
      count: raised,
      icon: ShieldAlert,
      tone: critical > 0 ? "bad" : "warn",
      text: `${countOf(raised, "alert")} open`,
      hint: kindsText(alerts),
      to: "/$account/alerts",
      search: {},
    },
    {
      count: webhooks,
      icon: Unplug,
      tone: "warn",
      text: `${countOf(webhooks, "webhook")} disabled`,
      hint: "events wait",
      to: "/$account/webhooks",
      search: {},
    },
    {
      count: regions,
      icon: CircleAlert,
      tone: "idle",
      text: `${countOf(regions, "region")} disabled`,
      hint: "by AWS",
      to: "/$account/providers",
      search: {},
    },
  ].filter(({ count }) => count.count > 0);
}

const NONE = { count: 0, is_more: false };

/** What a number is made of, such as `2 changed, 1 orphan`. */
function kindsText(counts: AccountSummary["drift"]): string {
  return Object.entries(counts)
    .flatMap(([kind, { count }]) => (count > 0 ? `${count} ${kind}` : []))
    .join(", ");
}
