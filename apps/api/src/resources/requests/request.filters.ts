import { Prisma, type Row } from "@gantry/db";
import { REQUEST_STATES, STATE } from "@gantry/records";
import { type ModelOf, modelOf, REQUEST_TYPE_NAMES, type ResourceType } from "@gantry/requests";
import { z } from "zod";
import { notFound } from "../../http/errors.js";
import { equals, type Filter, idText, references, subjectText, timestampFilter } from "../../http/filters.js";
import { NEWEST_FIRST } from "../../http/paging.js";
import { isValidId, type Order, table } from "../../http/rows.js";

const active: Filter = {
  value: z.stringbool({ truthy: ["true"], falsy: ["false"] }).describe("Only those that have not ended"),
  condition: (values) =>
    values === null || values.includes(true) ? Prisma.sql`finished_at IS NULL` : Prisma.sql`TRUE`,
};

/** The user who opened Requests, or their parent Request. */
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
  value: z.stringbool({ truthy: ["true"], falsy: ["false"] }).describe(name),
  condition: (values) => {
    const wanted = values ?? [true];
    const alternatives = wanted.map((value) => (value ? condition : Prisma.sql`NOT ${condition}`));
    return Prisma.sql`(${Prisma.join(alternatives, " OR ")})`;
  },
});

const state: Filter = {
  value: z.enum(REQUEST_STATES),
  condition: (values) => (values === null ? Prisma.sql`FALSE` : Prisma.sql`${STATE} = ANY(${values})`),
};

/** The record that Requests work on, as `server/3`. */
const subject: Filter = {
  value: subjectText.describe("A type and an id, such as `server/3`"),
  condition: (values) => {
    if (values === null) return Prisma.sql`resource_id IS NULL`;
    const pairs = (values as string[]).map((value) => {
      const [type, id] = value.split("/") as [string, string];
      return Prisma.sql`(resource_type = ${type} AND resource_id = ${id})`;
    });
    return Prisma.sql`(${Prisma.join(pairs, " OR ")})`;
  },
};

type NamedResource = { [T in ResourceType]: Row<ModelOf<T>> extends { name: unknown } ? T : never }[ResourceType];

/** The resources that have a name of their own; the compiler asks for each. */
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
  value: z.string().min(1).max(100).describe("A part of the name of what it works on, or of its type"),
  condition: (parts) => {
    if (parts === null) return Prisma.sql`FALSE`;
    const alternatives = (parts as string[]).flatMap((part) => {
      const matches = (name: string) => Prisma.sql`position(lower(${part}) in lower(${Prisma.raw(name)})) > 0`;
      const records = NAMED.map(
        (type) => Prisma.sql`(resource_type = ${type} AND resource_id IN (
          SELECT id::text FROM ${table(modelOf(type))} WHERE ${matches("name")}))`,
      );
      return [matches("replace(type, '_', ' ')"), matches("type"), ...records];
    });
    return Prisma.sql`(${Prisma.join(alternatives, " OR ")})`;
  },
};

const requestFilters = {
  q: named,
  active,
  state,
  subject,
  successful: flagged("Only those that succeeded", Prisma.sql`successful`),
  leaked: flagged("Only those that left something behind in AWS", Prisma.sql`(leaked_resources <> '[]'::jsonb)`),
  parent: references("request", "parent_id"),
  type: equals(z.enum(REQUEST_TYPE_NAMES)),
  requester,
  account: references("account"),
  finished_at: timestampFilter,
};

const byChange: Order<"request"> = {
  expression: Prisma.sql`updated_at`,
  type: "time",
  descending: true,
  valueOf: ({ updatedAt }) => updatedAt,
};

/** The orders of lists of Requests. */
const requestSorts = {
  created_at: { ...NEWEST_FIRST, descending: false },
  "-created_at": NEWEST_FIRST,
  updated_at: { ...byChange, descending: false },
  "-updated_at": byChange,
};

/** What each list of Requests takes. */
export const requestList = { filters: requestFilters, sorts: requestSorts };
