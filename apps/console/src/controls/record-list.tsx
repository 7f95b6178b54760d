import type { Pages } from "@gantry/client";
import { keepPreviousData, type QueryKey, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowUp } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { showArrivals, useArrivals, useArrivalsOfBefore } from "../live/arrivals.js";
import { Button } from "./button.js";
import { Curl } from "./curl.js";
import { Empty, Refusal, Skeleton } from "./notice.js";
import { Heading, Panel } from "./panel.js";
import styles from "./record-list.module.css";
import { type Column, Paging, Table } from "./table.js";
import type { Tab } from "./tabs.js";

const PAGE_SIZE = 50;
const TYPING_MS = 200;

/** A filter of a list, with the name of its parameter in the URL and in the API. */
export interface Filter {
  name: string;
  label: string;
  /** What can be chosen; a filter without choices is text. */
  choices?: readonly (readonly [value: string, label: string])[] | undefined;
  /** True for a time; the API receives it as UTC. */
  isTime?: boolean;
}

type Search = Record<string, string | undefined>;
/** What the list asks the API for: the filters of the URL, and the size of a page. */
export type ListQuery = { per_page: number };

interface RecordsProps<T> {
  /** The type of the records in events. */
  type: string;
  /** What distinguishes this list from others of the type. */
  of: QueryKey;
  label: string;
  list: (query: ListQuery, options: { signal: AbortSignal }) => Pages<T>;
  columns: Column<T>[];
  filters?: readonly Filter[];
  /** Whether a new record of the type belongs to this list; each does if absent. */
  belongs?: (record: T) => boolean;
  /** What an account sees that has no such record yet. */
  empty: ReactNode;
  /** How often the page is read again, for records of which no event tells. */
  refreshMs?: number;
}

/** A page of records, with the filters and the place in the URL. New ones wait behind a button, so that no row moves. */
export function Records<T extends { id: string | number }>(props: RecordsProps<T>) {
  const { type, of, label, list, columns, filters = [], belongs, empty, refreshMs } = props;
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const { cursor } = search;
  const chosen = Object.fromEntries(filters.flatMap(({ name }) => (search[name] ? [[name, search[name]]] : [])));
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    queryKey: [type, "list", ...of, chosen, cursor],
    placeholderData: keepPreviousData,
    // Events change records in place, but a record may have left or joined the list since it was last shown.
    refetchOnMount: "always",
    queryFn: ({ signal }) => list({ ...sentOf(filters, chosen), per_page: PAGE_SIZE }, { signal }).page(cursor),
    refetchInterval: refreshMs ?? false,
  });
  useArrivalsOfBefore(type);
  const arrivals = useArrivals(type, data?.items ?? [], belongs as ((record: object) => boolean) | undefined);
  const [clears, setClears] = useState(0);
  const go = (change: Search, replace = false) =>
    navigate({ to: ".", search: (before: Search) => ({ ...before, ...change }), replace } as never);
  const clear = async () => {
    await go(Object.fromEntries(["cursor", ...filters.map(({ name }) => name)].map((name) => [name, undefined])), true);
    setClears(clears + 1);
  };
  const showNew = () => {
    void go({ cursor: undefined });
    showArrivals(type);
  };
  const isFiltered = Object.keys(chosen).length > 0;
  return (
    <>
      {filters.length > 0 && (
        <Filters
          key={clears}
          filters={filters}
          chosen={chosen}
          onChange={(change) => void go({ ...change, cursor: undefined }, true)}
        />
      )}
      {arrivals > 0 && (
        <Button kind="link" className={styles.arrivals} onClick={showNew}>
          <ArrowUp aria-hidden /> {arrivals} new
        </Button>
      )}
      {error && <Refusal error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton />}
      {data &&
        data.items.length === 0 &&
        (isFiltered ? (
          <Empty title="No record matches">
            <Button onClick={() => void clear()}>Clear filters</Button>
          </Empty>
        ) : (
          empty
        ))}
      {data && data.items.length > 0 && (
        <>
          <Table label={label} columns={columns} rows={data.items} isBusy={isPlaceholderData} />
          <Paging
            page={data}
            isLater={cursor !== undefined}
            onFirst={() => void go({ cursor: undefined })}
            onNext={(next) => void go({ cursor: next })}
          />
        </>
      )}
    </>
  );
}

/** A tab that lists records of another one. */
export function recordsTab<T extends { id: string | number }>(
  value: string,
  title: string,
  props: Omit<RecordsProps<T>, "label"> & { label?: string },
): Tab {
  return [value, title, <Records key={value} label={title} {...props} />];
}

interface RecordListProps<T> extends Omit<RecordsProps<T>, "label"> {
  title: string;
  /** The same call for a terminal. */
  path: string;
  /** What can be done: buttons beside the title. */
  acts?: ReactNode;
}

/** A page that lists the records of an account. */
export function RecordList<T extends { id: string | number }>({ title, path, acts, ...list }: RecordListProps<T>) {
  return (
    <>
      <Heading title={title}>
        <Curl path={path} />
        {acts}
      </Heading>
      <Panel>
        <Records {...list} label={title} />
      </Panel>
    </>
  );
}

function sentOf(filters: readonly Filter[], chosen: Record<string, string>): Record<string, string> {
  const isTime = (name: string) => filters.some((filter) => filter.name === name && filter.isTime);
  return Object.fromEntries(
    Object.entries(chosen).map(([name, value]) => [name, isTime(name) ? new Date(value).toISOString() : value]),
  );
}

interface FiltersProps {
  filters: readonly Filter[];
  chosen: Record<string, string>;
  onChange: (change: Search) => void;
}

function Filters({ filters, chosen, onChange }: FiltersProps) {
  const [texts, setTexts] = useState(chosen);
  const timer = useRef(0);
  const type = (name: string, value: string) => {
    setTexts({ ...texts, [name]: value });
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => onChange({ [name]: value || undefined }), TYPING_MS);
  };
  return (
    <form className={styles.filters} onSubmit={(event) => event.preventDefault()} aria-label="Filters">
      {filters.map(({ name, label, choices, isTime }) =>
        isTime ? (
          <label key={name} className={styles.time}>
            {label}
            <input
              type="datetime-local"
              value={chosen[name] ?? ""}
              onChange={(event) => onChange({ [name]: event.target.value || undefined })}
            />
          </label>
        ) : choices ? (
          <select
            key={name}
            aria-label={label}
            value={chosen[name] ?? ""}
            onChange={(event) => onChange({ [name]: event.target.value || undefined })}
          >
            <option value="">Any {label.toLowerCase()}</option>
            {choices.map(([value, shown]) => (
              <option key={value} value={value}>
                {shown}
              </option>
            ))}
          </select>
        ) : (
          <input
            key={name}
            type="search"
            aria-label={label}
            placeholder={label}
            value={texts[name] ?? ""}
            onChange={(event) => type(name, event.target.value)}
          />
        ),
      )}
    </form>
  );
}
