import { Prisma } from "@gantry/db";
import type { Selection } from "../../http/rows/rows.js";

/** The messages of the Requests of a selection. */
export function messagesOf({ where, each }: Selection<"request">): Selection<"requestMessage"> {
  const requests = Prisma.sql`SELECT id AS scope_request FROM requests WHERE ${where}`;
  return {
    model: "requestMessage",
    each: each
      ? Prisma.sql`SELECT scope_request FROM (${each}) AS scope CROSS JOIN LATERAL (${requests}) AS request`
      : requests,
    where: Prisma.sql`request_id = scope_request`,
  };
}
