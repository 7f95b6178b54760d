import { type Environment, insertInto, nextId, Prisma, type Tx } from "@gantry/db";
import { z } from "zod";
import type { Caller } from "../../http/caller.js";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors.js";
import { integer, references, text } from "../../http/filters.js";
import { strict } from "../../http/input.js";
import { created, many, one } from "../../http/reply.js";
import { asFields, fetchRows, where } from "../../http/rows.js";
import { assertNoOpenRequest } from "../requests/open-requests.js";
import { environmentAttributes, environmentChanges, environmentName } from "./environment.attributes.js";
import { environment } from "./environment.resource.js";
import { insertFirewallOf } from "./environment-firewall.js";
import { newEnvironmentKeys } from "./environment-keys.js";
import { placeFor, requireSameAccount } from "./environment-place.js";

const list = many(environment, { filters: { id: integer(), account: references("account"), name: text } });

const wanted = strict({
  name: environmentName,
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be a region's id")
    .optional(),
  ...environmentAttributes,
});

export const environmentEndpoints = [
  endpoint({
    route: "POST /accounts/:account/environments",
    summary: "Make an environment, without servers yet",
    body: strict({ environment: wanted, network: z.uuid().optional(), provider: z.int().optional() }),
    transaction: true,
    reply: created(environment),
    handle: async ({ params, body, caller, db, appContext }) => {
      const { id: accountId } = await caller.find("account", params.account);
      const { region, ...attributes } = body.environment;
      await requireApplication(caller, attributes.application_id, accountId);
      await requireFreeName(db, accountId, attributes.name);
      const { network, provider } = body;
      const place = await placeFor(caller, db, { accountId, network, provider, region });
      const id = await nextId(db, "environments");
      const keys = await newEnvironmentKeys(appContext.vault, { id, accountId });
      const insert = insertInto("environments", { id, accountId, ...place, ...keys, ...asFields(attributes) });
      const { providerId } = place;
      const firewall = providerId && (await insertFirewallOf(db, { id, accountId, ...place, providerId }));
      const along = firewall ? Prisma.sql`WITH firewall AS (${firewall})` : Prisma.empty;
      const [row] = await fetchRows(db, "environment", Prisma.sql`${along} ${insert} RETURNING *`);
      return row as Environment;
    },
  }),

  endpoint({
    route: "GET /environments",
    summary: "List environments",
    reply: list,
    handle: ({ caller }) => caller.all("environment"),
  }),

  endpoint({
    route: "GET /accounts/:account/environments",
    summary: "List an account's environments",
    reply: list,
    handle: async ({ params, caller }) =>
      where("environment", { accountId: (await caller.find("account", params.account)).id }),
  }),

  endpoint({
    route: "GET /applications/:application/environments",
    summary: "List the environments that run an application",
    reply: list,
    handle: async ({ params, caller }) =>
      where("environment", { applicationId: (await caller.find("application", params.application)).id }),
  }),

  endpoint({
    route: "GET /environments/:environment",
    summary: "Show an environment",
    reply: one(environment),
    handle: ({ params, caller }) => caller.find("environment", params.environment),
  }),

  endpoint({
    route: "PUT /environments/:environment",
    summary: "Change what an environment says of itself; it reaches its servers when they are made",
    body: strict({ environment: environmentChanges }),
    transaction: true,
    reply: one(environment),
    handle: async ({ params, body, caller, db }) => {
      const { id, accountId, ...before } = await caller.find("environment", params.environment, "update");
      if (before.deletedAt) throw conflict(`the environment ${id} was deleted`);
      await assertNoOpenRequest(["destroy_environment"], db, "environment", id);
      const { name, ...attributes } = body.environment;
      await requireApplication(caller, attributes.application_id, accountId);
      if (name && name !== before.name) await requireFreeName(db, accountId, name);
      const { encrypted_ebs_for_everything: everything, encrypted_database_ebs: database } = attributes;
      const reencrypts =
        (everything ?? before.encryptedEbsForEverything) !== before.encryptedEbsForEverything ||
        (database ?? before.encryptedDatabaseEbs) !== before.encryptedDatabaseEbs;
      if (reencrypts) await refuseWithServers(db, id);
      return db.environment.update({ where: { id }, data: { ...asFields(attributes), ...(name && { name }) } });
    },
  }),
];

async function requireApplication(caller: Caller, id: number | null | undefined, accountId: string): Promise<void> {
  if (id == null) return;
  const application = await caller.find("application", id, "share");
  requireSameAccount(application, { accountId }, "environment.application_id");
  if (application.deletedAt) throw conflict(`the application ${id} was deleted`);
}

async function requireFreeName(db: Tx, accountId: string, name: string): Promise<void> {
  const living = await db.environment.findFirst({ where: { accountId, name, deletedAt: null }, select: { id: true } });
  if (living) throw conflict(`the account has an environment of this name: ${living.id}`);
}

async function refuseWithServers(db: Tx, environmentId: number): Promise<void> {
  const server = await db.server.findFirst({ where: { environmentId, deletedAt: null }, select: { id: true } });
  if (server) throw conflict(`the disks of server ${server.id} are made already: encryption cannot change`);
}
