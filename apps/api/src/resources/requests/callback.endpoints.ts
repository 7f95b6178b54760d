import { Prisma, type Tx } from "@gantry/db";
import { isCallbackToken, type Notification } from "@gantry/requests";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { conflict, notFound } from "../../http/errors.js";
import { strict } from "../../http/input.js";
import { empty } from "../../http/reply.js";
import { iso } from "../../http/resource.js";
import { isValidId } from "../../http/rows.js";

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

type Report = z.output<typeof report>;

export const callbackEndpoints = [
  endpoint({
    route: "POST /requests/:request/callback",
    summary: "Report to a request from the server that it makes, with the token that the server was given",
    access: "anyone",
    // Its token cannot be guessed, and many servers may start behind one address.
    rate: "report",
    body: report,
    reply: empty,
    handle: async ({ params, body, db, notify, appContext }) => {
      const { request: id } = params;
      if (!isValidId("request", id) || !isCallbackToken(appContext.env.MASTER_KEY, id.toLowerCase(), body.token)) {
        throw notFound();
      }
      const taken = await take(db, id, body);
      if (taken) return notify({ id, ...taken });
      if ((await db.request.count({ where: { id } })) === 0) throw notFound();
      throw conflict("the request takes no more reports");
    },
  }),
];

/** Writes a report into the Request and the record of its server, unless the Request takes none any more. */
async function take(db: Tx, id: string, { status, message }: Report): Promise<Omit<Notification, "id"> | undefined> {
  const report = JSON.stringify({ status, message: message ?? null });
  const line = JSON.stringify([{ message: message || status, timestamp: iso(new Date()) }]);
  const [taken] = await db.$queryRaw<Omit<Notification, "id">[]>`
    WITH taken AS (
      UPDATE requests SET report = ${report}::jsonb, updated_at = now(), next_run_at = now(), wake = wake + 1
      WHERE id = ${id}::uuid AND finished_at IS NULL AND rolling_back_since IS NULL
        AND coalesce(report ->> 'status', 'none') NOT IN (${Prisma.join(FINAL)})
      RETURNING wake, account_id, CASE WHEN resource_type = 'server' THEN resource_id::int END AS server_id),
    kept AS (
      UPDATE servers SET updated_at = now(), chef_status = (
        SELECT jsonb_agg(report ORDER BY position) FROM (
          SELECT report, position FROM jsonb_array_elements(chef_status || ${line}::jsonb)
            WITH ORDINALITY AS reports (report, position) ORDER BY position DESC LIMIT ${KEPT_REPORTS}) AS newest)
      FROM taken WHERE servers.id = taken.server_id)
    SELECT wake, account_id AS "accountId" FROM taken`;
  return taken;
}
