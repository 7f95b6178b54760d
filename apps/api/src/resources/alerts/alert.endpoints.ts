import type { Alert, Tx } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import type { Caller } from "../../http/caller.js";
import { endpoint } from "../../http/endpoint.js";
import { conflict, invalid } from "../../http/errors.js";
import { instant, singleLine, strict } from "../../http/input.js";
import { created, one } from "../../http/reply.js";
import { asFields } from "../../http/rows.js";
import { alert, SEVERITIES } from "./alert.resource.js";

const prose = z.string().trim().min(1, "must not be empty").max(10_000);

const body = strict({
  alert: strict({
    name: singleLine(200),
    external_id: singleLine(200),
    message: prose,
    severity: z.enum(SEVERITIES),
    description: z.string().max(10_000).optional(),
    started_at: instant.optional(),
  }),
});

const changes = strict({
  alert: strict({
    finished_at: instant.describe("An alert that has finished does not start anew").optional(),
    acknowledged: z.boolean().optional(),
    message: prose.optional(),
    started_at: instant.optional(),
  }),
});

type Wanted = z.infer<typeof body>["alert"];
type Changes = z.infer<typeof changes>["alert"];

export const alertEndpoints = [
  endpoint({
    route: "POST /servers/:server/alerts",
    summary: "Raise an alert on a server",
    body,
    transaction: true,
    reply: created(alert),
    handle: async ({ params, body, caller, db }) => {
      const server = await caller.find("server", params.server, "share");
      const { id: serverId, accountId, environmentId, deletedAt } = server;
      if (deletedAt) throw conflict(`the server ${serverId} was deleted`);
      return raise(db, { accountId, environmentId, serverId }, body.alert);
    },
  }),

  endpoint({
    route: "POST /database-servers/:database_server/alerts",
    summary: "Raise an alert on a database server",
    body,
    transaction: true,
    reply: created(alert),
    handle: async ({ params, body, caller, db }) => {
      const server = await caller.find("databaseServer", params.database_server, "share");
      const { id: databaseServerId, accountId, deletedAt } = server;
      if (deletedAt) throw conflict(`the database server ${databaseServerId} was deleted`);
      return raise(db, { accountId, databaseServerId }, body.alert);
    },
  }),

  endpoint({
    route: "GET /alerts/:alert",
    summary: "Show an alert",
    reply: one(alert),
    handle: ({ params, caller }) => caller.find("alert", params.alert),
  }),

  endpoint({
    route: "PUT /alerts/:alert",
    summary: "Change an alert; one that has finished does not start anew",
    body: changes,
    transaction: true,
    reply: one(alert),
    handle: async ({ params, body, caller, db }) => change(db, await lock(caller, params.alert), body.alert),
  }),

  endpoint({
    route: "POST /alerts/:alert/acknowledge",
    summary: "Say that somebody looks at an alert",
    transaction: true,
    reply: one(alert),
    handle: async ({ params, caller, db }) => change(db, await lock(caller, params.alert), { acknowledged: true }),
  }),

  endpoint({
    route: "POST /alerts/:alert/finish",
    summary: "Finish an alert now, unless it has finished already",
    transaction: true,
    reply: one(alert),
    handle: async ({ params, caller, db }) => {
      const found = await lock(caller, params.alert);
      return found.finishedAt ? found : change(db, found, { finished_at: new Date().toISOString() });
    },
  }),
];

async function raise(
  db: Tx,
  on: { accountId: string } & ({ serverId: number; environmentId: number } | { databaseServerId: string }),
  wanted: Wanted,
): Promise<Alert> {
  return db.alert.create({ data: { id: uuidv7(), ...on, ...asFields(wanted) } });
}

function lock(caller: Caller, id: string): Promise<Alert> {
  return caller.find("alert", id, "update");
}

async function change(db: Tx, { id, startedAt, finishedAt }: Alert, given: Changes): Promise<Alert> {
  const start = given.started_at ? new Date(given.started_at) : startedAt;
  const end = given.finished_at ? new Date(given.finished_at) : finishedAt;
  if (start && end && end < start) throw invalid("alert.finished_at", "is before started_at");
  return db.alert.update({ where: { id }, data: asFields(given) });
}
