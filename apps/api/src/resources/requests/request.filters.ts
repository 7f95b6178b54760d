import { Prisma } from "@gantry/db";
import { REQUEST_STATES, STATE } from "@gantry/records";
import { REQUEST_TYPE_NAMES } from "@gantry/requests";
import { z } from "zod";
import { notFound } from "../../http/errors.js";
import { equals, type Filter, idText, references, timestampFilter } from "../../http/filters.js";
import { isValidId } from "../../http/rows.js";

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
  value: z
    .string()
    .regex(/^[a-z_]+\/[\w-]+$/, "must be a type and an id, such as server/3")
    .describe("A type and an id, such as `server/3`"),
  condition: (values) => {
    if (values === null) return Prisma.sql`resource_id IS NULL`;
    const pairs = (values as string[]).map((value) => {
      const [type, id] = value.split("/") as [string, string];
      return Prisma.sql`(resource_type = ${type} AND resource_id = ${id})`;
    });
    return Prisma.sql`(${Prisma.join(pairs, " OR ")})`;
  },
};

export const requestFilters = {
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
