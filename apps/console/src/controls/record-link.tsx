import { Link, useParams, useRouter } from "@tanstack/react-router";

const PLACES: Record<string, string> = {
  "database-services": "databases",
  "auto-scaling-groups": "groups",
  "iam-roles": "roles",
};

/** The collection and the id in the URL of a record, such as `["servers", "12"]`. */
export function partsOf(url: string): readonly [collection: string, id: string] {
  const [id = "", collection = ""] = url.split("/").reverse();
  return [collection, id];
}

/** What a record is called by its URL, such as `server 12`. */
export function recordName(url: string): string {
  const [collection, id] = partsOf(url);
  return `${collection.replaceAll("-", " ").replace(/s$/, "")} ${id.length > 12 ? id.slice(-8) : id}`;
}

/** A link to the page of a record, by its URL in the API; text if it has no page. */
export function RecordLink({ url, children }: { url: string; children?: string | undefined }) {
  const { account = "" } = useParams({ strict: false }) as { account?: string };
  const { routesById } = useRouter();
  const [collection, id] = partsOf(url);
  const place = PLACES[collection] ?? collection;
  const text = children ?? recordName(url);
  if (collection === "requests")
    return (
      <Link to="/$account/requests/$request" params={{ account, request: id }}>
        {text}
      </Link>
    );
  const to = `/$account/${place}/$id`;
  if (!(to in routesById)) return text;
  return (
    <Link to={to as string} params={{ account, id } as never}>
      {text}
    </Link>
  );
}
