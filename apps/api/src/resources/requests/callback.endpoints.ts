import { Prisma, type Tx } from "@gantry/db";
import { isCallbackToken } from "@gantry/requests";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { conflict, notFound } from "../../http/errors.js";
import { strict } from "../../http/input.js";
import { empty } from "../../http/reply.js";
import { iso } from "../../http/resource.js";
import { fetchRows, mayBeId } from "../../http/rows.js";

const FINAL = ["finished", "failed"];
const LONGEST_MESSAGE = 500;
/** How many of a server's reports are kept: the newest. */
const KEPT_REPORTS = 100;

const message = z
  .string()
  .max(LONGEST_MESSAGE)
  .transform((text) => text.replace(/\p{Cc}/gu, " ").trim());

const report = strict({
  token: z.string().max(100),
  status: z.enum(["progress", "finished", "failed"]),
  message: message.optional(),
});

export const callbackEndpoints = [
  endpoint({
    route: "POST /requests/:request/callback",
    summary: "Report to a request from the server that it makes, with the token that the server was given",
    access: "anyone",
    // Its token cannot be guessed, and many servers may start behind one address.
    rate: "report",
    body: report,
    transaction: true,
    reply: empty,
    handle: async ({ params, body, db, ring, house }) => {
      const { request: id } = params;
      if (!mayBeId("request", id) || !isCallbackToken(house.env.MASTER_KEY, id.toLowerCase(), body.token)) {
        throw notFound();
      }
      const statement = Prisma.sql`SELECT * FROM requests WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
      const [request] = await fetchRows(db, "request", statement);
      if (!request) throw notFound();
      const { status: last } = (request.report ?? {}) as { status?: string };
      const isOver = request.finishedAt ?? request.rollingBackSince;
      if (isOver || FINAL.includes(last ?? "")) throw conflict("the request takes no more reports");
      const said = { status: body.status, message: body.message ?? null };
      const [{ wake } = { wake: 0 }] = await db.$queryRaw<{ wake: number }[]>`
        UPDATE requests SET report = ${JSON.stringify(said)}::jsonb, updated_at = now(), next_run_at = now(), wake = wake + 1
        WHERE id = ${id}::uuid RETURNING wake`;
      if (request.resourceType === "server") await keep(db, Number(request.resourceId), body.message || body.status);
      ring({ id: request.id, wake });
    },
  }),
];

async function keep(db: Tx, serverId: number, message: string): Promise<void> {
  const said = JSON.stringify([{ message, timestamp: iso(new Date()) }]);
  await db.$executeRaw`
    UPDATE servers SET chef_status = (
      SELECT jsonb_agg(report ORDER BY position) FROM (
        SELECT report, position FROM jsonb_array_elements(chef_status || ${said}::jsonb)
          WITH ORDINALITY AS reports (report, position) ORDER BY position DESC LIMIT ${KEPT_REPORTS}) AS newest),
      updated_at = now()
    WHERE id = ${serverId}`;
}
