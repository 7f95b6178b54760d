import { type Application, Prisma, type Tx } from "@gantry/db";
import { z } from "zod";
import type { Caller } from "../../http/caller.js";
import { endpoint } from "../../http/endpoint.js";
import { conflict, HttpError } from "../../http/errors.js";
import { type Filter, integer, references, text } from "../../http/filters.js";
import { singleLine, strict } from "../../http/input.js";
import { created, empty, many, one } from "../../http/reply.js";
import { type Selection, where } from "../../http/rows.js";
import { application } from "./application.resource.js";
import { languageOf } from "./languages.js";

const parent = references("environment", "id");

/** The applications that one of the environments runs. */
const runIn: Filter = {
  ...parent,
  condition: async (values, name, caller) => {
    if (values === null) {
      return Prisma.sql`NOT EXISTS (SELECT 1 FROM environments
        WHERE application_id = applications.id AND deleted_at IS NULL)`;
    }
    const met = await parent.condition(values, name, caller);
    return Prisma.sql`id IN (SELECT application_id FROM environments WHERE ${met})`;
  },
};

const list = many(application, {
  filters: {
    id: integer(),
    name: text,
    type: text,
    repository: text,
    account: references("account"),
    environment: runIn,
  },
});

const body = strict({ application: strict({ name: singleLine(200), repository: singleLine(1000), type: z.string() }) });

type Wanted = z.infer<typeof body>["application"];

export const applicationEndpoints = [
  endpoint({
    route: "POST /applications",
    summary: "Make an application in one's only account",
    body,
    transaction: true,
    reply: created(application),
    handle: async ({ body, caller, db }) => {
      const [only, another] = caller.accountIds;
      if (only === undefined || another !== undefined) {
        throw new HttpError(422, "ambiguous_account", [
          "which account is meant is not clear: use POST /accounts/:account/applications",
        ]);
      }
      return make(caller, db, only, body.application);
    },
  }),

  endpoint({
    route: "POST /accounts/:account/applications",
    summary: "Make an application",
    body,
    transaction: true,
    reply: created(application),
    handle: ({ params, body, caller, db }) => make(caller, db, params.account, body.application),
  }),

  endpoint({
    route: "GET /applications",
    summary: "List applications",
    reply: list,
    handle: ({ caller }) => caller.all("application"),
  }),

  endpoint({
    route: "GET /accounts/:account/applications",
    summary: "List an account's applications",
    reply: list,
    handle: async ({ params, caller }) =>
      where("application", { accountId: (await caller.find("account", params.account)).id }),
  }),

  endpoint({
    route: "GET /environments/:environment/applications",
    summary: "List the application that an environment runs",
    reply: list,
    handle: async ({ params, caller }): Promise<Selection<"application">> => {
      const { applicationId } = await caller.find("environment", params.environment);
      return where("application", { id: applicationId === null ? [] : [applicationId] });
    },
  }),

  endpoint({
    route: "GET /applications/:application",
    summary: "Show an application",
    reply: one(application),
    handle: ({ params, caller }) => caller.find("application", params.application),
  }),

  endpoint({
    route: "DELETE /applications/:application",
    summary: "Remove an application that no environment runs",
    transaction: true,
    reply: empty,
    handle: async ({ params, caller, db }) => {
      const { id, deletedAt } = await caller.find("application", params.application, "update");
      if (deletedAt) throw conflict(`the application ${id} was already deleted`);
      const running = await db.environment.findFirst({
        where: { applicationId: id, deletedAt: null },
        select: { id: true },
      });
      if (running) throw conflict(`the application ${id} is run by environment ${running.id}`);
      await db.application.update({ where: { id }, data: { deletedAt: new Date() } });
    },
  }),
];

async function make(caller: Caller, db: Tx, account: string, wanted: Wanted): Promise<Application> {
  const { id: accountId } = await caller.find("account", account);
  const language = languageOf(wanted.type);
  const { name } = wanted;
  const living = await db.application.findFirst({ where: { accountId, name, deletedAt: null }, select: { id: true } });
  if (living) throw conflict(`the account has an application of this name: ${living.id}`);
  return db.application.create({ data: { accountId, language, ...wanted } });
}
