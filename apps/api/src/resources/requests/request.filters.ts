import { Prisma, type Row } from "@gantry/db";
import {
  field,
  idTypeOf,
  type ModelOf,
  modelOf,
  REQUEST_STATES,
  REQUEST_TYPE_NAMES,
  type RequestState,
  type ResourceType,
  STATE,
} from "@gantry/resources";
import { z } from "zod";
import { notFound } from "../../http/errors/errors.js";
import {
  anyPart,
  equals,
  type Filter,
  idText,
  indexed,
  references,
  subjectText,
  timestampFilter,
} from "../../http/lists/filters.js";
import { NEWEST_FIRST } from "../../http/lists/page.walk.js";
import { isValidId, type Order, type Selection, table } from "../../http/rows/rows.js";

const UNFINISHED = Prisma.sql`finished_at IS NULL`;
const FINISHED = Prisma.sql`finished_at IS NOT NULL`;
const FAILED = Prisma.sql`finished_at IS NOT NULL AND NOT successful`;
const LEAKING = Prisma.sql`(leaked_resources <> '[]'::jsonb)`;

const active: Filter = indexed({
  value: z.stringbool({ truthy: ["true"], falsy: ["false"] }).describe("Only unfinished requests"),
  condition: (values) => (values === null || values.includes(true) ? UNFINISHED : Prisma.sql`TRUE`),
});

/** The user who created Requests, or their parent Request. */
const requester: Filter = {
  value: idText("user"),
  condition: (ids) => {
    if (ids?.some((id) => !isValidId("user", id as string))) throw notFound();
    return ids === null
      ? Prisma.sql`user_id IS NULL AND parent_id IS NULL`
      : Prisma.sql`(parent_id = ANY(${ids}) OR (user_id = ANY(${ids}) AND parent_id IS NULL))`;
  },
};

const flagged = (name: string, condition: Prisma.Sql): Filter => ({
  value: field(z.stringbool({ truthy: ["true"], falsy: ["false"] }), "true", name),
  condition: (values) => {
    const wanted = values ?? [true];
    const alternatives = wanted.map((value) => (value ? condition : Prisma.sql`NOT ${condition}`));
    return Prisma.sql`(${Prisma.join(alternatives, " OR ")})`;
  },
});

const ENDED: ReadonlySet<unknown> = new Set<RequestState>(["finished", "failed", "cancelled"]);

const state: Filter = {
  value: z.enum(REQUEST_STATES),
  condition: (values) => (values === null ? Prisma.sql`FALSE` : Prisma.sql`${STATE} = ANY(${values})`),
  indexed: (values) => {
    if (values === null) return Prisma.sql`FALSE`;
    if (values.every((value) => value === "failed" || value === "cancelled")) return FAILED;
    return values.some((value) => ENDED.has(value)) ? undefined : UNFINISHED;
  },
};

/** The record that Requests work on, as `server/3`. */
const subject: Filter = indexed({
  value: subjectText.describe("A type and an id, such as `server/3`"),
  condition: (values) => {
    if (values === null) return Prisma.sql`resource_id IS NULL`;
    const pairs = (values as string[]).map((value) => {
      const [type, id] = value.split("/") as [string, string];
      return Prisma.sql`(resource_type = ${type} AND resource_id = ${id})`;
    });
    return Prisma.sql`(${Prisma.join(pairs, " OR ")})`;
  },
});

/** For a single type, an index has the Requests in their order. */
const type: Filter = {
  ...equals(z.enum(REQUEST_TYPE_NAMES)),
  indexed: (values) => (values?.length === 1 ? Prisma.sql`type = ${values[0] as string}` : undefined),
};

type NamedResource = { [T in ResourceType]: Row<ModelOf<T>> extends { name: unknown } ? T : never }[ResourceType];

/** The resources that have their own name; the compiler asks for each. */
const HAS_NAME: Record<NamedResource, true> = {
  account: true,
  provider: true,
  network: true,
  subnet: true,
  environment: true,
  firewall: true,
  server: true,
  volume: true,
  iam_role: true,
  database_service: true,
  database_server_snapshot: true,
};
const NAMED = Object.keys(HAS_NAME) as NamedResource[];

/** A part of the name of what Requests work on, or of their type. */
const named: Filter = {
  value: field(z.string().min(1).max(100), "shop", "Part of the name of its resource, or of its type"),
  condition: (parts) => {
    if (parts === null) return Prisma.sql`FALSE`;
    return anyPart(parts as string[], (part) => {
      const matches = (name: string) =>
        Prisma.sql`position(lower(${part}) in lower(normalize(${Prisma.raw(name)}))) > 0`;
      const records = NAMED.map((type) => {
        const id = Prisma.raw(idTypeOf(type) === "integer" ? "integer" : "uuid");
        return Prisma.sql`WHEN ${type} THEN (SELECT ${matches("named.name")} FROM ${table(modelOf(type))} AS named
          WHERE named.id = resource_id::${id})`;
      });
      return Prisma.sql`(${matches("replace(type, '_', ' ')")} OR ${matches("type")}
        OR CASE resource_type ${Prisma.join(records, " ")} END)`;
    });
  },
};

const requestFilters = {
  q: named,
  active,
  state,
  subject,
  successful: flagged("Only successful requests", Prisma.sql`successful`),
  leaked: {
    ...flagged("Only requests that left objects behind in AWS", LEAKING),
    indexed: (values: unknown[] | null) => (values?.includes(false) ? undefined : LEAKING),
  },
  parent: indexed(references("request", "parent_id")),
  type,
  requester,
  finished_at: timestampFilter,
};

const byChange: Order<"request"> = {
  expression: Prisma.sql`coalesce(finished_at, updated_at)`,
  type: "time",
  descending: true,
  valueOf: ({ finishedAt, updatedAt }) => finishedAt ?? updatedAt,
  // The end of a Request is its last change. An index with updated_at would cost a write in each index at each step.
  parts: [
    { condition: UNFINISHED, expression: Prisma.sql`updated_at` },
    { condition: FINISHED, expression: Prisma.sql`finished_at` },
  ],
};

/** The orders of lists of Requests. */
const requestSorts = {
  created_at: { ...NEWEST_FIRST, descending: false },
  "-created_at": NEWEST_FIRST,
  updated_at: { ...byChange, descending: false },
  "-updated_at": byChange,
};

/** The filters of each list of Requests. */
export const requestList = { filters: requestFilters, sorts: requestSorts };

/** The Requests on several records, which a statement names in its columns `scope_type` and `scope_id`. */
export function requestsOn(each: Prisma.Sql): Selection<"request"> {
  return { model: "request", each, where: Prisma.sql`resource_type = scope_type AND resource_id = scope_id` };
}
