import type { Request } from "@gantry/client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { gantry } from "../api.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import { State } from "../controls/state.js";
import { type Column, Table } from "../controls/table.js";
import { Ago } from "../controls/time.js";
import { titleOf } from "../controls/title.js";
import { showArrivals, useArrivals } from "../live/arrivals.js";
import { FirstSteps } from "./first-steps.js";
import styles from "./overview.module.css";

const SHOWN = 8;

type Query = { state?: Request["state"][]; active?: string };

const latestQuery = (account: string, query: Query) =>
  queryOptions({
    queryKey: ["request", "list", account, "latest", query],
    queryFn: ({ signal }) => gantry.accounts.requests(account, { ...query, per_page: SHOWN }, { signal }).page(),
  });

export function Page() {
  const { account } = useParams({ from: "/$account/" });
  return (
    <>
      <Heading title="Overview" />
      <div className={styles.panels}>
        <FirstSteps account={account} />
        <Latest account={account} title="Running now" query={{ active: "true" }} none="Nothing runs now" />
        <Latest account={account} title="Failed" query={{ state: ["failed"] }} none="No Request has failed" />
      </div>
    </>
  );
}

interface LatestProps {
  account: string;
  title: string;
  query: Query;
  none: string;
}

function Latest({ account, title, query, none }: LatestProps) {
  const { data, error, refetch } = useQuery(latestQuery(account, query));
  const arrivals = useArrivals("request", data?.items ?? []);
  useEffect(() => {
    if (arrivals > 0) showArrivals("request");
  }, [arrivals]);
  return (
    <Panel title={title}>
      {error && <Refusal error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton rows={3} />}
      {data && data.items.length === 0 && <Empty title={none} />}
      {data && data.items.length > 0 && <Table label={title} columns={columns(account)} rows={data.items} />}
    </Panel>
  );
}

function columns(account: string): Column<Request>[] {
  return [
    {
      title: "Request",
      cell: ({ id, type, message }) => (
        <>
          <Link to="/$account/requests/$request" params={{ account, request: id }}>
            {titleOf(type)}
          </Link>
          {message && <p className={styles.message}>{message}</p>}
        </>
      ),
    },
    { title: "State", cell: ({ state }) => <State state={state} /> },
    { title: "Accepted", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
