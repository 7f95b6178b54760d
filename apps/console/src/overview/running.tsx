import type { Request } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { gantry } from "../api.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { Panel } from "../controls/panel.js";
import { State } from "../controls/state.js";
import { type Column, Table } from "../controls/table.js";
import { Duration } from "../controls/time.js";
import { subjectText, titleOf } from "../controls/title.js";
import { showArrivals, useArrivals } from "../live/arrivals.js";
import { useReadAgain } from "../live/recent-events.js";
import styles from "./overview.module.css";

const SHOWN = 8;
const KEY = "running";
const ENDS = new Set(["request.finished", "request.failed", "request.cancelled"]);

/** The Requests that run now. */
export function Running({ account, title }: { account: string; title: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["request", "list", account, KEY],
    queryFn: ({ signal }) => gantry.accounts.requests(account, { active: "true", per_page: SHOWN }, { signal }).page(),
  });
  const arrivals = useArrivals("request", data?.items ?? []);
  useEffect(() => {
    if (arrivals > 0) showArrivals("request");
  }, [arrivals]);
  useReadAgain(account, "request", ({ type }) => ENDS.has(type));
  return (
    <Panel title={title}>
      {error && <Refusal error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton rows={3} />}
      {data && data.items.length === 0 && <Empty title="Nothing runs now" />}
      {data && data.items.length > 0 && <Table label={title} columns={columns(account)} rows={data.items} />}
    </Panel>
  );
}

function columns(account: string): Column<Request>[] {
  return [
    {
      title: "Request",
      cell: (request) => (
        <div>
          <Link to="/$account/requests/$request" params={{ account, request: request.id }}>
            {titleOf(request.type)}
          </Link>{" "}
          <span className={styles.message}>{subjectText(request)}</span>
        </div>
      ),
    },
    { title: "State", cell: ({ state }) => <State state={state} /> },
    {
      title: "For",
      isRight: true,
      cell: ({ created_at, finished_at }) => <Duration from={created_at} to={finished_at} />,
    },
  ];
}
