import acknowledgeAlert from "operation:acknowledgeAlert";
import finishAlert from "operation:finishAlert";
import type { Alert } from "@gantry/client";
import { useParams } from "@tanstack/react-router";
import { Check, Eye } from "lucide-react";
import { gantry } from "../api.js";
import { Empty } from "../controls/notice.js";
import { RecordLink } from "../controls/record-link.js";
import { RecordList } from "../controls/record-list.js";
import { Mark } from "../controls/state.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";

const SEVERITIES = [
  ["critical", "critical"],
  ["warning", "warning"],
] as const;

export function Page() {
  const { account } = useParams({ from: "/$account/alerts" });
  return (
    <RecordList
      title="Alerts"
      type="alert"
      of={[account]}
      path={`/alerts?account=${account}`}
      list={(query, options) => gantry.alerts.list({ account: [account], ...query }, options)}
      columns={columns(account)}
      filters={[
        { name: "q", label: "Name or message" },
        { name: "severity", label: "Severity", choices: SEVERITIES },
      ]}
      empty={
        <Empty title="No alert has been raised">
          <p>Your monitoring raises alerts on servers and databases through the API.</p>
        </Empty>
      }
    />
  );
}

function columns(account: string): Column<Alert>[] {
  return [
    {
      title: "Alert",
      cell: ({ name, message }) => (
        <div>
          <span className={table.name}>{name}</span>
          <p className={table.muted}>{message}</p>
        </div>
      ),
    },
    {
      title: "State",
      cell: ({ finished_at, severity, acknowledged }) =>
        finished_at ? (
          <Mark tone="good">finished</Mark>
        ) : (
          <Mark tone={severity === "critical" ? "bad" : "warn"}>{acknowledged ? `${severity}, seen` : severity}</Mark>
        ),
    },
    { title: "On", cell: ({ resource }) => <RecordLink url={resource} /> },
    { title: "Raised", isRight: true, cell: ({ started_at, created_at }) => <Ago at={started_at ?? created_at} /> },
    { title: "Acts", isRight: true, cell: (alert) => <Acts account={account} alert={alert} /> },
  ];
}

function Acts({ account, alert: { id, name, acknowledged, finished_at } }: { account: string; alert: Alert }) {
  const shared = { account, ids: [id], isSmall: true };
  if (finished_at) return "–";
  return (
    <>
      <OperationButton
        {...shared}
        operation={acknowledgeAlert}
        act={`Acknowledge ${name}`}
        icon={<Eye aria-hidden />}
        impossible={acknowledged ? "It is acknowledged" : undefined}
      >
        <p>The alert stays open, and others see that it has been seen.</p>
      </OperationButton>
      <OperationButton {...shared} operation={finishAlert} act={`Finish ${name}`} icon={<Check aria-hidden />}>
        <p>A finished alert cannot be opened again.</p>
      </OperationButton>
    </>
  );
}
