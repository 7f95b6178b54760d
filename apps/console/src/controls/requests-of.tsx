import type { Request } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { gantry } from "../api.js";
import { showArrivals, useArrivals } from "../live/arrivals.js";
import { Empty, Refusal, Skeleton } from "./notice.js";
import { State } from "./state.js";
import { type Column, Table } from "./table.js";
import { Ago, Duration } from "./time.js";
import { titleOf } from "./title.js";

const SHOWN = 20;

interface RequestsOfProps {
  /** The type and the id of the record in events. */
  type: string;
  id: string;
  /** Its path in the API. */
  path: string;
}

/** The last Requests of a record; a new one appears by itself. */
export function RequestsOf({ type, id, path }: RequestsOfProps) {
  const { account = "" } = useParams({ strict: false }) as { account?: string };
  const { data, error } = useQuery({
    queryKey: ["request", "list", account, path],
    queryFn: async ({ signal }) => {
      const { body } = await gantry.call("GET", `${path}/requests`, { query: { per_page: SHOWN }, signal });
      return (body as { requests: Request[] }).requests;
    },
  });
  const arrivals = useArrivals("request", data ?? [], (record) => {
    const { subject } = record as Request;
    return subject?.type === type && String(subject.id) === id;
  });
  useEffect(() => {
    if (arrivals > 0) showArrivals("request");
  }, [arrivals]);
  if (error) return <Refusal error={error} />;
  if (!data) return <Skeleton rows={3} />;
  if (data.length === 0) return <Empty title="No Request on record" />;
  return <Table label="Requests" columns={columns(account)} rows={data} />;
}

function columns(account: string): Column<Request>[] {
  return [
    {
      title: "Request",
      cell: ({ id, type }) => (
        <Link to="/$account/requests/$request" params={{ account, request: id }}>
          {titleOf(type)}
        </Link>
      ),
    },
    { title: "State", cell: ({ state }) => <State state={state} /> },
    {
      title: "Duration",
      isRight: true,
      cell: ({ created_at, finished_at }) => <Duration from={created_at} to={finished_at} />,
    },
    { title: "Accepted", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
