import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { gantry } from "../api.js";

/** Where the console shows the records of a collection of the API; one without a place has no page. */
const COLLECTIONS: Record<string, { type: string; place?: string }> = {
  environments: { type: "environment", place: "environments" },
  networks: { type: "network", place: "networks" },
  subnets: { type: "subnet" },
  servers: { type: "server", place: "servers" },
  firewalls: { type: "firewall", place: "firewalls" },
  volumes: { type: "volume", place: "volumes" },
  addresses: { type: "address", place: "addresses" },
  snapshots: { type: "snapshot", place: "snapshots" },
  iam_roles: { type: "iam_role", place: "roles" },
  providers: { type: "provider", place: "providers" },
  requests: { type: "request", place: "requests" },
  "database-services": { type: "database_service", place: "databases" },
  "database-servers": { type: "database_server", place: "database-servers" },
  auto_scaling_groups: { type: "auto_scaling_group", place: "groups" },
  applications: { type: "application", place: "applications" },
};

interface NamedRecord {
  id: string | number;
  name?: string | null;
  role?: string;
  cidr?: string;
  ip_address?: string | null;
  provisioned_id?: string | null;
}

/** What people call a record: its name, or what else tells it apart. */
export function nameOf({ id, name, role, cidr, ip_address, provisioned_id }: NamedRecord): string {
  return name || cidr || ip_address || (role && `${role} ${id}`) || provisioned_id || `no. ${id}`;
}

/** The collection and the id in the URL of a record, such as `["servers", "12"]`. */
export function partsOf(url: string): readonly [collection: string, id: string] {
  const [id = "", collection = ""] = url.split("/").reverse();
  return [collection, id];
}

/** What a record is called by its URL alone, such as `server 12`. */
export function recordName(url: string): string {
  const [collection, id] = partsOf(url);
  const type = COLLECTIONS[collection]?.type ?? collection.replace(/s$/, "");
  return `${type.replace(/[-_]/g, " ")} ${id.length > 12 ? id.slice(-8) : id}`;
}

interface RecordLinkProps {
  /** The URL of the record in the API. */
  url: string | null | undefined;
  /** Its name; read from the API if absent. */
  name?: string | undefined;
}

/** The name of the record of a URL, read from the API; its type and id until then. */
export function useRecordName(url: string | null | undefined, name?: string): string {
  const [collection, id] = partsOf(url ?? "");
  const { type } = COLLECTIONS[collection] ?? {};
  const { data } = useQuery({
    queryKey: [type, id],
    enabled: name === undefined && type !== undefined && type !== "request",
    queryFn: async ({ signal }) => {
      const { body } = await gantry.call("GET", `/${collection}/${id}`, { signal });
      return (body as Record<string, NamedRecord>)[type ?? ""] as NamedRecord;
    },
  });
  // A Request has no name, also if a page has read it.
  return name ?? (data && type !== "request" ? nameOf(data) : recordName(url ?? ""));
}

/** A link to the page of a record whose URL another record has; a dash without one. */
export function RecordLink({ url, name }: RecordLinkProps) {
  const { account = "" } = useParams({ strict: false }) as { account?: string };
  const text = useRecordName(url, name);
  if (!url) return "–";
  const [collection, id] = partsOf(url);
  const { place } = COLLECTIONS[collection] ?? {};
  if (!place) return <span>{text}</span>;
  return (
    <Link to={`/$account/${place}/${id}` as string} params={{ account } as never}>
      {text}
    </Link>
  );
}
