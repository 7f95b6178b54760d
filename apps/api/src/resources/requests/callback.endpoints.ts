import { Prisma, type Tx } from "@gantry/db";
import { isCallbackToken } from "@gantry/requests";
import { field, iso } from "@gantry/resources";
import { z } from "zod";
import type { AppContext } from "../../http/context.js";
import { endpoint } from "../../http/endpoint.js";
import { conflict, notFound } from "../../http/errors/errors.js";
import { secretText, strict } from "../../http/input/input.js";
import { empty, json } from "../../http/reply/reply.js";
import { isValidId } from "../../http/rows/rows.js";

const FINAL_STATUSES = ["finished", "failed"];
const MAX_MESSAGE_LENGTH = 500;
const MAX_MOUNTS = 50;
const BYTES_PER_GB = 2 ** 30;
/** The newest reports of a server that its record keeps. */
const MAX_REPORTS = 100;

const message = z
  .string()
  .max(MAX_MESSAGE_LENGTH)
  .transform((text) => text.replace(/\p{Cc}/gu, " ").trim());

const reportInput = strict({
  token: field(secretText({ max: 100 }), "b5dfe2c1"),
  status: z.enum(["progress", "finished", "failed"]),
  message: message.optional(),
});

type Report = z.output<typeof reportInput>;

export const callbackEndpoints = [
  endpoint({
    route: "POST /requests/:request/callback",
    operation: "reportToRequest",
    summary: "Report from a server to the request that provisions it, with the server's callback token",
    access: "anyone",
    // The token cannot be guessed, and many servers may report from one address.
    rate: "report",
    body: reportInput,
    reply: empty,
    handle: async ({ params, body, db, wake, keys, throttle }) => {
      const id = requireToken({ keys, throttle }, params.request, body.token);
      const recorded = await recordReport(db, id, body);
      // A worker reads reports of progress at its next regular check.
      if (recorded) return FINAL_STATUSES.includes(body.status) ? wake({ id }) : undefined;
      if ((await db.request.count({ where: { id } })) === 0) throw notFound();
      throw conflict("the request no longer accepts reports");
    },
  }),

  endpoint({
    route: "POST /requests/:request/authorized-keys",
    operation: "reportAuthorizedKeys",
    summary: "Return a server's SSH keys to the server, which authenticates with its callback token",
    access: "anyone",
    rate: "report",
    body: strict({
      token: field(secretText({ max: 100 }), "b5dfe2c1"),
      installed: field(
        z.string().regex(/^[\da-f]{64}$/),
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "The SHA-256 of the server's current file `authorized_keys`",
      ),
    }),
    reply: json(
      z.object({
        authorized_keys: z.string().nullable().describe("The file to install; null if the current one is up to date"),
      }),
    ),
    handle: async ({ params, body, db, keys, throttle }) => {
      const id = requireToken({ keys, throttle }, params.request, body.token);
      const due = await recordKeys(db, id, body.installed);
      if (due === undefined) throw notFound();
      return { authorized_keys: due };
    },
  }),

  endpoint({
    route: "POST /requests/:request/file-systems",
    operation: "reportFileSystems",
    summary: "Report which of its disks a server's file systems fill, with its callback token",
    access: "anyone",
    rate: "report",
    body: strict({
      token: field(secretText({ max: 100 }), "b5dfe2c1"),
      filled: z
        .record(z.string().max(4096), z.int().min(0))
        .refine((filled) => Object.keys(filled).length <= MAX_MOUNTS, `must have at most ${MAX_MOUNTS} mount points`)
        .describe("The bytes of the disk that each file system fills, by its mount point"),
    }),
    reply: empty,
    transaction: true,
    handle: async ({ params, body, db, keys, throttle }) => {
      const id = requireToken({ keys, throttle }, params.request, body.token);
      await recordFileSystems(db, id, body.filled);
    },
  }),
];

/** @throws 404 if the token is not the Request's, 429 if its server reports too often */
function requireToken({ keys, throttle }: Pick<AppContext, "keys" | "throttle">, id: string, token: string): string {
  if (!isValidId("request", id) || !isCallbackToken(keys.callbacks, id.toLowerCase(), token)) throw notFound();
  throttle.take("report of a Request", id);
  return id;
}

/**
 * Records that a server asked for its SSH keys.
 *
 * @param installed the SHA-256 of the file that it has, in hexadecimal digits
 * @returns the text of the file that it must have, null if it has it or none was set; undefined if the server does not
 * exist
 */
async function recordKeys(db: Tx, requestId: string, installed: string): Promise<string | null | undefined> {
  const [server] = await db.$queryRaw<{ due: string | null }[]>`
    UPDATE servers SET keys_asked_at = now(),
      keys_current = coalesce(encode(sha256(convert_to(authorized_keys, 'UTF8')), 'hex') = ${installed}, false)
    FROM (SELECT CASE WHEN resource_type = 'server' THEN resource_id::int END AS server_id
          FROM requests WHERE id = ${requestId}::uuid) AS own
    WHERE servers.id = own.server_id AND servers.deleted_at IS NULL
    RETURNING CASE WHEN keys_current THEN NULL ELSE authorized_keys END AS due`;
  return server?.due;
}

/**
 * Records the sizes that the file systems of a server fill.
 *
 * @throws 404 if the server does not exist, 409 as long as its root volume is not recorded
 */
async function recordFileSystems(db: Tx, requestId: string, filled: Record<string, number>): Promise<void> {
  const request = await db.request.findUnique({
    where: { id: requestId },
    select: { resourceType: true, resourceId: true },
  });
  if (request?.resourceType !== "server") throw notFound();
  const id = Number(request.resourceId);
  if ((await db.server.count({ where: { id, deletedAt: null } })) === 0) throw notFound();
  for (const [mount, bytes] of Object.entries(filled)) {
    const fileSystemGb = Math.floor(bytes / BYTES_PER_GB);
    const { count } = await db.volume.updateMany({
      where: { serverId: id, mount, deletedAt: null },
      data: { fileSystemGb },
    });
    if (count === 0 && mount === "/") throw conflict("the root volume of the server is not recorded yet");
  }
}

/** Writes a report into the Request and its server's record; returns false if the Request accepts no more reports. */
async function recordReport(db: Tx, id: string, { status, message }: Report): Promise<boolean> {
  const isFinal = FINAL_STATUSES.includes(status);
  const report = JSON.stringify({ status, message: message ?? null });
  const line = JSON.stringify([{ message: message || status, timestamp: iso(new Date()) }]);
  const taken = await db.$queryRaw<object[]>`
    WITH taken AS (
      UPDATE requests SET report = ${report}::jsonb, updated_at = now(),
        next_run_at = CASE WHEN ${isFinal} THEN now() ELSE next_run_at END, wake = wake + ${isFinal ? 1 : 0}
      WHERE id = ${id}::uuid AND finished_at IS NULL AND rolling_back_since IS NULL
        AND coalesce(report ->> 'status', 'none') NOT IN (${Prisma.join(FINAL_STATUSES)})
      RETURNING account_id, CASE WHEN resource_type = 'server' THEN resource_id::int END AS server_id),
    kept AS (
      UPDATE servers SET updated_at = now(), chef_status = (
        SELECT jsonb_agg(report ORDER BY position) FROM (
          SELECT report, position FROM jsonb_array_elements(chef_status || ${line}::jsonb)
            WITH ORDINALITY AS reports (report, position) ORDER BY position DESC LIMIT ${MAX_REPORTS}) AS newest)
      FROM taken WHERE servers.id = taken.server_id)
    SELECT account_id FROM taken`;
  return taken.length > 0;
}
