import { Prisma, type Tx } from "@gantry/db";
import { FINDINGS, modelOf, REQUEST_STATES, resources, resourceTypes, SEVERITIES, STATE } from "@gantry/resources";
import { WITH_LIVING_INDEX } from "../../http/reply/list.js";
import { table } from "../../http/rows/rows.js";

/** The rows that each count reads at most, and the greatest count. */
export const COUNTED_UP_TO = 10_000;

export interface Count {
  count: number;
  is_more: boolean;
}

type Counts<Key extends string = string> = Record<Key, Count>;

/** Each part reads a range of one index, and one row more than it counts, to know whether there are more. */
const LIMIT = Prisma.raw(`LIMIT ${COUNTED_UP_TO + 1}`);
const NEWEST = Prisma.raw(`ORDER BY created_at DESC, id DESC LIMIT ${COUNTED_UP_TO + 1}`);

/** A Request that fails ends within hours of its acceptance; without a limit this would read all failures there ever were. */
const FAILED_SINCE = Prisma.raw("interval '3 days'");

const COUNTED_TYPES = resourceTypes.filter((type) => resources[type].deletable !== false);

/** Counts an account's open Requests by state, and whatever else needs attention or stands, in one statement. */
export async function countOf(db: Tx, accountId: string) {
  const own = Prisma.sql`account_id = ${accountId}::uuid`;
  const rows = await db.$queryRaw<Row[]>(Prisma.join(partsOf(own), " UNION ALL "));
  const counts = <Key extends string>(part: string, keys: readonly Key[]) => {
    const ofPart = rows.filter((row) => row.part === part);
    return Object.fromEntries(keys.map((key) => [key, countIn(ofPart, key)])) as Counts<Key>;
  };
  const count = (part: string) => counts(part, [""])[""];
  return {
    open_requests: counts(
      "open",
      REQUEST_STATES.filter((state) => !ENDED.includes(state)),
    ),
    failed_requests_in_24_hours: count("failed"),
    leaked_resources: count("leaked"),
    drift: counts("drift", FINDINGS),
    alerts: counts("alerts", SEVERITIES),
    disabled: counts("disabled", ["webhooks", "regions"]),
    records: counts("records", COUNTED_TYPES),
  };
}

const ENDED: readonly string[] = ["finished", "failed", "cancelled"];

interface Row {
  part: string;
  key: string;
  count: number;
  /** The rows that were read for the part, or for the key of a part that reads each by itself. */
  read: number;
}

function countIn(rows: Row[], key: string): Count {
  const row = rows.find((row) => row.key === key);
  const read = row?.read ?? Math.max(0, ...rows.map((row) => row.read));
  const count = row?.count ?? 0;
  return { count: Math.min(count, COUNTED_UP_TO), is_more: Math.max(count, read) > COUNTED_UP_TO };
}

function partsOf(own: Prisma.Sql): Prisma.Sql[] {
  return [
    byKey("open", Prisma.sql`SELECT ${STATE} AS key FROM requests WHERE ${own} AND finished_at IS NULL ${LIMIT}`),
    whole(
      "failed",
      Prisma.sql`count(*) FILTER (WHERE cancel_requested_at IS NULL AND finished_at > now() - interval '24 hours')`,
      Prisma.sql`SELECT cancel_requested_at, finished_at FROM requests WHERE ${own} AND finished_at IS NOT NULL
        AND NOT successful AND created_at > now() - ${FAILED_SINCE} ${NEWEST}`,
    ),
    whole(
      "leaked",
      Prisma.sql`coalesce(sum(jsonb_array_length(leaked_resources)), 0)`,
      Prisma.sql`SELECT leaked_resources FROM requests WHERE ${own} AND leaked_resources <> '[]'::jsonb ${LIMIT}`,
    ),
    byKey("drift", Prisma.sql`SELECT finding AS key FROM drifts WHERE ${own} ${NEWEST}`),
    ...SEVERITIES.map((severity) => {
      const rows = Prisma.sql`SELECT FROM alerts WHERE ${own} AND severity = ${severity} AND finished_at IS NULL
        AND NOT ignored ${LIMIT}`;
      return whole("alerts", Prisma.sql`count(*)`, rows, severity);
    }),
    whole(
      "disabled",
      Prisma.sql`count(disabled_at) FILTER (WHERE deleted_at IS NULL)`,
      Prisma.sql`SELECT disabled_at, deleted_at FROM webhooks WHERE ${own} ${NEWEST}`,
      "webhooks",
    ),
    whole(
      "disabled",
      Prisma.sql`count(disabled_at) FILTER (WHERE parent_id IS NULL AND provider_id NOT IN
        (SELECT id FROM providers WHERE ${own} AND deleted_at IS NOT NULL))`,
      Prisma.sql`SELECT provider_id, parent_id, disabled_at FROM provider_locations WHERE ${own} ${NEWEST}`,
      "regions",
    ),
    ...COUNTED_TYPES.map((type) => {
      const model = modelOf(type);
      const rows = WITH_LIVING_INDEX.has(model)
        ? Prisma.sql`SELECT NULL AS deleted_at FROM ${table(model)} WHERE ${own} AND deleted_at IS NULL ${NEWEST}`
        : Prisma.sql`SELECT deleted_at FROM ${table(model)} WHERE ${own} ${NEWEST}`;
      return whole("records", Prisma.sql`count(*) FILTER (WHERE deleted_at IS NULL)`, rows, type);
    }),
  ];
}

function whole(part: string, count: Prisma.Sql, rows: Prisma.Sql, key = ""): Prisma.Sql {
  return Prisma.sql`SELECT ${part}::text AS part, ${key}::text AS key, (${count})::int AS count, count(*)::int AS read
    FROM (${rows}) AS counted`;
}

function byKey(part: string, rows: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT ${part}::text AS part, key, count(*)::int AS count, (sum(count(*)) OVER ())::int AS read
    FROM (${rows}) AS counted GROUP BY key`;
}
