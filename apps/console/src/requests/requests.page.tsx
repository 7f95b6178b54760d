import type { Request } from "@gantry/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowUp } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../controls/button.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import { State } from "../controls/state.js";
import { type Column, Paging, Table } from "../controls/table.js";
import { Ago, Duration } from "../controls/time.js";
import { forgetArrivals, useArrivals } from "../live/arrivals.js";
import styles from "./requests.module.css";
import { type RequestFilters, requestsQuery, requestTypesQuery } from "./requests.queries.js";
import { subjectText, titleOf } from "./title.js";

const STATES: Request["state"][] = [
  "pending",
  "running",
  "waiting",
  "cancelling",
  "rolling_back",
  "finished",
  "failed",
  "cancelled",
];
const TYPING_MS = 200;

export function Page() {
  const { account } = useParams({ from: "/$account/requests" });
  const { cursor, ...filters } = useSearch({ from: "/$account/requests" });
  const navigate = useNavigate({ from: "/$account/requests" });
  const cache = useQueryClient();
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery(requestsQuery(account, filters, cursor));
  const arrivals = useArrivals("request", data?.items ?? []);
  const isFiltered = Object.values(filters).some(Boolean);
  const filter = (change: RequestFilters) =>
    void navigate({ search: (search) => ({ ...search, ...change, cursor: undefined }), replace: true });
  const [clears, setClears] = useState(0);
  const clear = () => {
    setClears(clears + 1);
    void navigate({ search: {}, replace: true });
  };
  const showArrivals = () => {
    forgetArrivals("request");
    void navigate({ search: (search) => ({ ...search, cursor: undefined }) });
    void cache.invalidateQueries({ queryKey: ["request", "list"] });
  };
  return (
    <>
      <Heading title="Requests" />
      <Panel>
        <Filters key={clears} filters={filters} onChange={filter} />
        {arrivals > 0 && (
          <Button kind="link" className={styles.arrivals} onClick={showArrivals}>
            <ArrowUp aria-hidden /> {arrivals} new
          </Button>
        )}
        {error && <Refusal error={error} onRetry={() => void refetch()} />}
        {isPending && <Skeleton />}
        {data && data.items.length === 0 && (
          <Empty title={isFiltered ? "No Request matches" : "No Request has been made yet"}>
            {isFiltered ? (
              <Button onClick={clear}>Clear filters</Button>
            ) : (
              <Link to="/$account/networks/new" params={{ account }}>
                Provision a network
              </Link>
            )}
          </Empty>
        )}
        {data && data.items.length > 0 && (
          <>
            <Table label="Requests" columns={columns(account)} rows={data.items} isBusy={isPlaceholderData} />
            <Paging
              page={data}
              isLater={cursor !== undefined}
              onFirst={() => void navigate({ search: (search) => ({ ...search, cursor: undefined }) })}
              onNext={(next) => void navigate({ search: (search) => ({ ...search, cursor: next }) })}
            />
          </>
        )}
      </Panel>
    </>
  );
}

function columns(account: string): Column<Request>[] {
  return [
    {
      title: "Request",
      cell: ({ id, type }) => (
        <Link className={styles.name} to="/$account/requests/$request" params={{ account, request: id }}>
          {titleOf(type)}
        </Link>
      ),
    },
    { title: "State", cell: ({ state }) => <State state={state} /> },
    { title: "Subject", cell: (request) => <span className={styles.muted}>{subjectText(request)}</span> },
    {
      title: "Duration",
      isRight: true,
      cell: ({ created_at, finished_at }) => <Duration from={created_at} to={finished_at} />,
    },
    { title: "Accepted", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}

function Filters({ filters, onChange }: { filters: RequestFilters; onChange: (change: RequestFilters) => void }) {
  const [text, setText] = useState(filters.q ?? "");
  const { data: types } = useQuery(requestTypesQuery);
  useEffect(() => {
    if (text === (filters.q ?? "")) return;
    const timer = setTimeout(() => onChange({ ...filters, q: text || undefined }), TYPING_MS);
    return () => clearTimeout(timer);
  });
  const choose = (name: "state" | "type") => (event: { target: { value: string } }) =>
    onChange({ ...filters, [name]: event.target.value || undefined });
  return (
    <form className={styles.filters} onSubmit={(event) => event.preventDefault()} aria-label="Filters">
      <input
        type="search"
        aria-label="Name or type"
        placeholder="Name or type"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <select aria-label="State" value={filters.state ?? ""} onChange={choose("state")}>
        <option value="">Any state</option>
        {STATES.map((state) => (
          <option key={state} value={state}>
            {state.replace("_", " ")}
          </option>
        ))}
      </select>
      <select aria-label="Type" value={filters.type ?? ""} onChange={choose("type")}>
        <option value="">Any type</option>
        {[...(types?.values() ?? [])].map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </form>
  );
}
