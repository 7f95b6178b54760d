import acknowledgeAlert from "operation:acknowledgeAlert";
import finishAlert from "operation:finishAlert";
import type { Alert, ListAlertsQuery } from "@gantry/client";
import { useParams } from "@tanstack/react-router";
import { Check, Eye } from "lucide-react";
import { gantry } from "../api.js";
import { Curl } from "../controls/curl.js";
import { Empty } from "../controls/notice.js";
import { Heading } from "../controls/panel.js";
import { RecordLink } from "../controls/record-link.js";
import { recordsTab } from "../controls/record-list.js";
import { Mark } from "../controls/state.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Tabs } from "../controls/tabs.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { useReadAgain } from "../live/recent-events.js";

/** A filter without a value, which the types of the client do not know. */
const OPEN = { finished_at: null } as unknown as ListAlertsQuery;

const SEVERITIES = [
  ["critical", "critical"],
  ["warning", "warning"],
] as const;

export function Page() {
  const { account } = useParams({ from: "/$account/alerts" });
  useReadAgain(account, "alert", ({ type }) => type === "alert.finished");
  const shared = {
    type: "alert",
    columns: columns(account),
    filters: [
      { name: "q", label: "Name or message" },
      { name: "severity", label: "Severity", choices: SEVERITIES },
    ],
  };
  return (
    <>
      <Heading title="Alerts">
        <Curl path={`/alerts?account=${account}&finished_at`} />
      </Heading>
      <Tabs
        label="Alerts"
        tabs={[
          recordsTab("open", "Open", {
            ...shared,
            of: [account, "open"],
            label: "Open alerts",
            list: (query, options) => gantry.alerts.list({ account: [account], ...OPEN, ...query }, options),
            empty: (
              <Empty title="No alert is open">
                <p>Your monitoring raises alerts on servers and databases through the API.</p>
              </Empty>
            ),
          }),
          recordsTab("all", "All", {
            ...shared,
            of: [account],
            label: "All alerts",
            list: (query, options) => gantry.alerts.list({ account: [account], ...query }, options),
            empty: <Empty title="No alert has been raised" />,
          }),
        ]}
      />
    </>
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
    <span className={table.acts}>
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
    </span>
  );
}
