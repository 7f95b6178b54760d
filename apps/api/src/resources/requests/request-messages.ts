import { Prisma } from "@gantry/db";
import type { Selection } from "../../http/rows.js";

/** One list has the messages of so many Requests at most: the newest. */
const REQUESTS_OF_A_LIST = 1000;

/** The messages of the newest Requests of a selection, of those that meet a condition. */
export function messagesOf(
  { where, each }: Selection<"request">,
  condition = Prisma.sql`TRUE`,
): Selection<"requestMessage"> {
  const newest = Prisma.sql`ORDER BY created_at DESC, id DESC LIMIT ${Prisma.raw(`${REQUESTS_OF_A_LIST}`)}`;
  const range = Prisma.sql`(SELECT id, created_at, resource_type FROM requests WHERE ${where} ${newest}) AS request`;
  const from = each ? Prisma.sql`(${each}) AS scope CROSS JOIN LATERAL ${range}` : range;
  return {
    model: "requestMessage",
    each: Prisma.sql`SELECT id AS scope_request FROM (SELECT request.* FROM ${from} ${newest}) AS request
      WHERE ${condition}`,
    where: Prisma.sql`request_id = scope_request`,
  };
}
