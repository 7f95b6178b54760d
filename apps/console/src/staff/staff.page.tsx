import type { Operations, RegisteredWorker } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import { gantry } from "../api.js";
import buttons from "../controls/button.module.css";
import { durationText } from "../controls/duration.js";
import { Facts } from "../controls/facts.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import panels from "../controls/panel.module.css";
import { Mark } from "../controls/state.js";
import { type Column, Table } from "../controls/table.js";
import { Ago, useNow } from "../controls/time.js";

const REFRESH_MS = 2000;
/** A worker writes its row every ten seconds. */
const UNSEEN_MS = 30_000;

export function Page() {
  const { data, error } = useQuery({
    queryKey: ["operations"],
    // A hidden tab does not ask.
    refetchInterval: REFRESH_MS,
    staleTime: 0,
    queryFn: ({ signal }): Promise<Operations> => gantry.operations.get({ signal }),
  });
  return (
    <>
      <Heading title="Queues and workers">
        <a className={buttons.button} href="/queues">
          <Activity aria-hidden /> Queues in detail
        </a>
      </Heading>
      {error && <Refusal error={error} />}
      {!data && !error && <Skeleton />}
      {data && (
        <>
          <Facts facts={factsOf(data)} />
          <div className={panels.panels}>
            <Panel title="Workers">
              {data.workers === null && <Empty title="Redis does not respond, so the workers cannot be read" />}
              {data.workers?.length === 0 && (
                <Empty title="No worker runs">
                  <p>Requests wait until one starts.</p>
                </Empty>
              )}
              {data.workers && data.workers.length > 0 && (
                <Table label="Workers" columns={WORKERS} rows={data.workers} />
              )}
            </Panel>
            <Panel title="Queues">
              {data.queues ? (
                <Table
                  label="Queues"
                  columns={QUEUES}
                  rows={data.queues.map((queue) => ({ id: queue.name, ...queue }))}
                />
              ) : (
                <Empty title="Redis does not respond, so the queues cannot be read" />
              )}
            </Panel>
          </div>
        </>
      )}
    </>
  );
}

function factsOf({ requests, redis }: Operations) {
  const { due, running, waiting, oldest_due_seconds: oldest, takeovers } = requests;
  return [
    [
      "Redis",
      <Mark key="redis" tone={redis === "ok" ? "good" : "bad"}>
        {redis === "ok" ? "responds" : "does not respond"}
      </Mark>,
    ],
    ["Requests that are due", due],
    ["The oldest of them", oldest === null ? "–" : durationText(oldest * 1000)],
    ["Running", running],
    ["Waiting", waiting],
    ["Takeovers of open Requests", takeovers],
  ] as const;
}

function WorkerState({ seenAt }: { seenAt: string }) {
  const isSeen = useNow() - new Date(seenAt).getTime() < UNSEEN_MS;
  return isSeen ? <Mark tone="good">alive</Mark> : <Mark tone="bad">unseen</Mark>;
}

const WORKERS: Column<RegisteredWorker>[] = [
  { title: "Host", cell: ({ host, pid }) => `${host} (${pid})` },
  { title: "State", cell: ({ seen_at }) => <WorkerState seenAt={seen_at} /> },
  { title: "Version", cell: ({ version }) => version },
  { title: "In use", isRight: true, cell: ({ in_use, concurrency }) => `${in_use} of ${concurrency}` },
  { title: "Started", isRight: true, cell: ({ started_at }) => <Ago at={started_at} /> },
  { title: "Seen", isRight: true, cell: ({ seen_at }) => <Ago at={seen_at} /> },
];

const QUEUES: Column<NonNullable<Operations["queues"]>[number] & { id: string }>[] = [
  { title: "Queue", cell: ({ name, paused }) => (paused ? `${name}, paused` : name) },
  { title: "Waiting", isRight: true, cell: ({ waiting }) => waiting },
  { title: "Active", isRight: true, cell: ({ active }) => active },
  { title: "Delayed", isRight: true, cell: ({ delayed }) => delayed },
  { title: "Failed", isRight: true, cell: ({ failed }) => failed },
  { title: "Completed", isRight: true, cell: ({ completed }) => completed },
];
