import { type Application, Prisma, type Tx } from "@gantry/db";
import { application, field } from "@gantry/resources";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { endpoint } from "../../http/endpoint.js";
import { conflict, HttpError } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { nameText, singleLine } from "../../http/input/names.js";
import { uuidOf } from "../../http/input/references.js";
import { type Filter, indexed, integer, references, text } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { created, one } from "../../http/reply/reply.js";
import { type Selection, where } from "../../http/rows/rows.js";
import { listChildren, listRecords, removeRecord, showRecord } from "../record-endpoints.js";
import { languageOf } from "./application.languages.js";

const inEnvironment = references("environment", "id");

/** Applications that run in one of the environments; bare, those that run in none. */
const runsInEnvironment: Filter = {
  ...inEnvironment,
  condition: async (values, name, caller) => {
    if (values === null) {
      return Prisma.sql`NOT EXISTS (SELECT 1 FROM environments
        WHERE application_id = applications.id AND deleted_at IS NULL)`;
    }
    const matching = await inEnvironment.condition(values, name, caller);
    return Prisma.sql`id IN (SELECT application_id FROM environments WHERE ${matching})`;
  },
};

const list = many(application, {
  filters: {
    id: indexed(integer()),
    name: indexed(text),
    type: text,
    repository: text,
    environment: runsInEnvironment,
  },
});

const input = strict({
  name: nameText,
  repository: field(singleLine(1000), "git@github.com:example/shop.git"),
  type: field(z.string(), "aws"),
});

type Input = z.infer<typeof input>;

export const applicationEndpoints = [
  endpoint({
    route: "POST /applications",
    summary: "Create an application in the given account, or in the caller's only account",
    body: strict({ account: uuidOf("accounts").optional(), application: input }),
    alsoInQuery: ["account"],
    transaction: true,
    reply: created(application),
    handle: async ({ body, caller, db }) => {
      const [only, another] = body.account === undefined ? caller.accountIds : [body.account];
      if (only === undefined || another !== undefined) {
        throw new HttpError(422, "ambiguous_account", [
          "you have several accounts; name one in `account` or use POST /accounts/:account/applications",
        ]);
      }
      return create(caller, db, only, body.application);
    },
  }),

  endpoint({
    route: "POST /accounts/:account/applications",
    summary: "Create an application",
    body: strict({ application: input }),
    transaction: true,
    reply: created(application),
    handle: ({ params, body, caller, db }) => create(caller, db, params.account, body.application),
  }),

  listRecords("GET /applications", "List applications", list, "application"),

  listChildren("GET /accounts/:account/applications", "List an account's applications", list, "application", "account"),

  endpoint({
    route: "GET /environments/:environment/applications",
    summary: "List the application that an environment runs",
    reply: list,
    handle: async ({ params, caller }): Promise<Selection<"application">> => {
      const { applicationId } = await caller.find("environment", params.environment);
      return where("application", { id: applicationId === null ? [] : [applicationId] });
    },
  }),

  showRecord("GET /applications/:application", "Show an application", one(application), "application"),

  removeRecord("DELETE /applications/:application", {
    summary: "Remove an application that no environment runs",
    model: "application",
    check: requireUnused,
  }),
];

async function create(caller: Caller, db: Tx, account: string, input: Input): Promise<Application> {
  const { id: accountId } = await caller.find("account", account);
  const language = languageOf(input.type);
  const { name } = input;
  const other = await db.application.findFirst({ where: { accountId, name, deletedAt: null }, select: { id: true } });
  if (other)
    throw conflict(`the account already has an application with this name: ${other.id}`, {
      path: "application.name",
      blocking: [`applications/${other.id}`],
    });
  return db.application.create({ data: { accountId, language, ...input } });
}

/** @throws 409 if an environment runs the application */
async function requireUnused(db: Tx, { id }: Application): Promise<void> {
  const running = await db.environment.findFirst({
    where: { applicationId: id, deletedAt: null },
    select: { id: true },
  });
  if (running)
    throw conflict(`environment ${running.id} runs application ${id}`, {
      blocking: [`environments/${running.id}`],
    });
}
