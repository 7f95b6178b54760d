import type { Alert, Tx } from "@gantry/db";
import { alert, field, SEVERITIES } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { endpoint } from "../../http/endpoint.js";
import { invalid } from "../../http/errors/errors.js";
import { instant, strict } from "../../http/input/input.js";
import { nameText, singleLine } from "../../http/input/names.js";
import { integerId, uuidOf } from "../../http/input/references.js";
import { created, one } from "../../http/reply/reply.js";
import { asFields } from "../../http/rows/rows.js";
import { showRecord } from "../record-endpoints.js";

const multiLine = field(z.string().trim().min(1, "must not be empty").max(10_000), "the disk is full");

const body = strict({
  alert: strict({
    name: nameText,
    external_id: field(singleLine(200), "check-17"),
    message: multiLine,
    severity: z.enum(SEVERITIES),
    description: field(z.string().max(10_000).optional(), "An example"),
    started_at: instant.optional(),
  }),
});

const changesInput = strict({
  alert: strict({
    finished_at: instant.describe("a finished alert cannot be reopened").optional(),
    acknowledged: z.boolean().optional(),
    message: multiLine.optional(),
    started_at: instant.optional(),
  }),
});

type Input = z.infer<typeof body>["alert"];
type Changes = z.infer<typeof changesInput>["alert"];

export const alertEndpoints = [
  endpoint({
    route: "POST /alerts",
    summary: "Raise an alert on a server or a database server",
    body: body
      .extend({
        server_id: integerId("servers").optional(),
        database_server_id: uuidOf("database-servers").optional(),
      })
      .refine(({ server_id, database_server_id }) => (server_id === undefined) !== (database_server_id === undefined), {
        message: "must have either a server_id or a database_server_id",
      })
      .meta({
        example: {
          server_id: 1,
          alert: { name: "load", external_id: "load-1", message: "high", severity: "critical" },
        },
      }),
    transaction: true,
    reply: created(alert),
    handle: ({ body: { server_id, database_server_id, alert }, caller, db }) =>
      server_id === undefined
        ? raiseOnDatabaseServer(caller, db, database_server_id ?? "", alert)
        : raiseOnServer(caller, db, server_id, alert),
  }),

  endpoint({
    route: "POST /servers/:server/alerts",
    summary: "Raise an alert on a server",
    body,
    transaction: true,
    reply: created(alert),
    handle: ({ params, body, caller, db }) => raiseOnServer(caller, db, params.server, body.alert),
  }),

  endpoint({
    route: "POST /database-servers/:database_server/alerts",
    summary: "Raise an alert on a database server",
    body,
    transaction: true,
    reply: created(alert),
    handle: ({ params, body, caller, db }) => raiseOnDatabaseServer(caller, db, params.database_server, body.alert),
  }),

  showRecord("GET /alerts/:alert", "Show an alert", one(alert), "alert"),

  endpoint({
    route: "PUT /alerts/:alert",
    summary: "Change an alert; a finished alert cannot be reopened",
    body: changesInput,
    transaction: true,
    reply: one(alert),
    handle: async ({ params, body, caller, db }) => change(db, await findLocked(caller, params.alert), body.alert),
  }),

  endpoint({
    route: "POST /alerts/:alert/acknowledge",
    summary: "Acknowledge an alert",
    transaction: true,
    reply: one(alert),
    handle: async ({ params, caller, db }) =>
      change(db, await findLocked(caller, params.alert), { acknowledged: true }),
  }),

  endpoint({
    route: "POST /alerts/:alert/finish",
    summary: "Finish an alert that is not yet finished",
    transaction: true,
    reply: one(alert),
    handle: async ({ params, caller, db }) => {
      const found = await findLocked(caller, params.alert);
      return found.finishedAt ? found : change(db, found, { finished_at: new Date().toISOString() });
    },
  }),
];

async function raiseOnServer(caller: Caller, db: Tx, id: number | string, input: Input): Promise<Alert> {
  const { id: serverId, accountId, environmentId } = await caller.findLive("server", id, "share");
  return raise(db, { accountId, environmentId, serverId }, input);
}

async function raiseOnDatabaseServer(caller: Caller, db: Tx, id: string, input: Input): Promise<Alert> {
  const { id: databaseServerId, accountId } = await caller.findLive("databaseServer", id, "share");
  return raise(db, { accountId, databaseServerId }, input);
}

async function raise(
  db: Tx,
  target: { accountId: string } & ({ serverId: number; environmentId: number } | { databaseServerId: string }),
  input: Input,
): Promise<Alert> {
  return db.alert.create({ data: { id: uuidv7(), ...target, ...asFields(input) } });
}

function findLocked(caller: Caller, id: string): Promise<Alert> {
  return caller.find("alert", id, "update");
}

async function change(db: Tx, { id, startedAt, finishedAt }: Alert, changes: Changes): Promise<Alert> {
  const start = changes.started_at ? new Date(changes.started_at) : startedAt;
  const end = changes.finished_at ? new Date(changes.finished_at) : finishedAt;
  if (start && end && end < start) throw invalid("alert.finished_at", "must not be before started_at");
  return db.alert.update({ where: { id }, data: asFields(changes) });
}
