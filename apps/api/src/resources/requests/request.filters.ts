import { Prisma } from "@gantry/db";
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

export const requestFilters = {
  active,
  type: equals(z.enum(REQUEST_TYPE_NAMES)),
  requester,
  account: references("account"),
  finished_at: timestampFilter,
};
