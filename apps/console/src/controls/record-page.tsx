import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { gantry } from "../api.js";
import { Curl } from "./curl.js";
import { Facts } from "./facts.js";
import { Refusal, Skeleton } from "./notice.js";
import { Heading } from "./panel.js";
import panels from "./panel.module.css";
import { RequestsOf } from "./requests-of.js";
import { Json, type Tab, Tabs } from "./tabs.js";

interface RecordPageProps<T> {
  /** The type of the record in events, such as `server`. */
  type: string;
  /** The path of the record in the API, without its id, such as `/servers`. */
  path: string;
  /** The member of the answer that is the record; its type if absent. */
  member?: string;
  /** The list above the page: its title and its place below the account. */
  above: readonly [title: string, place: string];
  titleOf: (record: T) => string;
  facts: (record: T) => readonly (readonly [term: string, value: ReactNode])[];
  acts?: (record: T) => ReactNode;
  /** What stands between the facts and the tabs. */
  children?: (record: T) => ReactNode;
  tabs?: (record: T) => readonly Tab[];
  /** False if Requests cannot have the record as their subject. */
  hasRequests?: boolean;
}

/** The page of one record: what it is, what can be done, and its parts. */
export function RecordPage<T extends { id: string | number }>(props: RecordPageProps<T>) {
  const { type, path, member = type, above, titleOf, facts, acts, children, tabs, hasRequests = true } = props;
  const { account = "", id = "" } = useParams({ strict: false }) as { account?: string; id?: string };
  const { data, error, refetch } = useQuery({
    queryKey: [type, id],
    queryFn: async ({ signal }) => {
      const { body } = await gantry.call("GET", `${path}/${encodeURIComponent(id)}`, { signal });
      return (body as Record<string, T>)[member] as T;
    },
  });
  const [title, place] = above;
  const trail = (
    <Link to={`/$account/${place}` as string} params={{ account } as never}>
      {title}
    </Link>
  );
  if (error)
    return (
      <>
        <Heading title={title} trail={trail} />
        <Refusal error={error} onRetry={() => void refetch()} />
      </>
    );
  if (!data) return <Skeleton />;
  const own: Tab[] = [
    ...(hasRequests
      ? [["requests", "Requests", <RequestsOf key="requests" {...{ type, id }} path={`${path}/${id}`} />] as Tab]
      : []),
    ["json", "JSON", <Json key="json" value={data} />],
  ];
  return (
    <>
      <Heading title={titleOf(data)} trail={trail}>
        {acts?.(data)}
        <Curl path={`${path}/${id}`} />
      </Heading>
      <Facts facts={facts(data)} />
      <div className={panels.panels}>
        {children?.(data)}
        <Tabs label={`Parts of ${titleOf(data)}`} tabs={[...(tabs?.(data) ?? []), ...own]} />
      </div>
    </>
  );
}
