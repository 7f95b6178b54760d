import { type Environment, insertInto, nextId, Prisma, type Tx } from "@gantry/db";
import { environment, field } from "@gantry/resources";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { assertNotBeingRemoved } from "../../http/conflicts/request-conflicts.js";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { nameText } from "../../http/input/names.js";
import { integerId, uuidOf } from "../../http/input/references.js";
import { indexed, integer, text } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { changed, created, one, requested } from "../../http/reply/reply.js";
import { requireLive } from "../../http/rows/live-rows.js";
import { asFields, fetchRows } from "../../http/rows/rows.js";
import { resolveEncryption } from "../accounts/account.encryption.js";
import { listChildren, listRecords, showRecord } from "../record-endpoints.js";
import { changeTags } from "../tags/tag.changes.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";
import { findVisibleUser } from "../users/user.visibility.js";
import { environmentAttributes, environmentChanges } from "./environment.attributes.js";
import { insertEnvironmentFirewall } from "./environment.firewall.js";
import { generateEnvironmentKeys } from "./environment.keys.js";
import { placeEnvironment, requireSameAccount } from "./environment.placement.js";
import { findDestroyableEnvironment, findIdleEnvironment } from "./environment.rules.js";

const list = many(environment, {
  filters: { id: indexed(integer()), name: indexed(text) },
});

const environmentInput = strict({
  name: nameText,
  region: field(
    z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be a region's id")
      .optional(),
    "us-east-1",
  ),
  ...environmentAttributes,
});

const ENCRYPTION_PATH = "environment.encrypted_ebs_for_everything";

export const environmentEndpoints = [
  endpoint({
    route: "POST /accounts/:account/environments",
    summary: "Create an environment without servers",
    body: strict({
      environment: environmentInput,
      network: uuidOf("networks").optional(),
      provider: integerId("providers").optional(),
    }),
    transaction: true,
    reply: created(environment),
    handle: async ({ params, body, caller, db, vault }) => {
      const { id: accountId } = await caller.find("account", params.account);
      const { region, ...attributes } = body.environment;
      const { tags = {} } = attributes;
      attributes.encrypted_ebs_for_everything = await resolveEncryption(db, accountId, {
        path: ENCRYPTION_PATH,
        requested: attributes.encrypted_ebs_for_everything,
        byDefault: false,
      });
      await requireApplication(caller, attributes.application_id, accountId);
      await requireFreeName(db, accountId, attributes.name);
      const { network, provider } = body;
      const placement = await placeEnvironment(caller, db, { accountId, network, provider, region });
      const id = await nextId(db, "environments");
      const keys = await generateEnvironmentKeys(vault, { id, accountId });
      const insert = insertInto("environments", { id, accountId, ...placement, ...keys, ...asFields(attributes) });
      const { providerId } = placement;
      const firewall =
        providerId && (await insertEnvironmentFirewall(db, { id, accountId, tags, ...placement, providerId }));
      const withFirewall = firewall ? Prisma.sql`WITH firewall AS (${firewall})` : Prisma.empty;
      const [row] = await fetchRows(db, "environment", Prisma.sql`${withFirewall} ${insert} RETURNING *`);
      await assertNotBeingRemoved(db, undefined, { resource: { type: "environment", id }, input: {} });
      return row as Environment;
    },
  }),

  listRecords("GET /environments", "List environments", list, "environment"),

  listChildren("GET /accounts/:account/environments", "List an account's environments", list, "environment", "account"),

  endpoint({
    route: "GET /users/:user/environments",
    summary: "List the environments of the accounts that a user shares with the caller",
    reply: list,
    handle: async ({ params, caller, db }) => {
      const { id } = await findVisibleUser(db, caller, params.user);
      return {
        model: "environment" as const,
        each: Prisma.sql`SELECT account_id AS scope_account FROM memberships
          WHERE user_id = ${id}::uuid AND ${caller.visible}`,
        where: Prisma.sql`account_id = scope_account`,
      };
    },
  }),

  listChildren(
    "GET /applications/:application/environments",
    "List the environments that run an application",
    list,
    "environment",
    "application",
  ),

  showRecord("GET /environments/:environment", "Show an environment", one(environment), "environment"),

  endpoint({
    route: "PUT /environments/:environment",
    summary:
      "Change an environment's attributes, which apply to servers provisioned from then on. New tags replace its own tags and apply to its firewall at once",
    body: strict({ environment: environmentChanges }),
    transaction: true,
    reply: changed(environment),
    handle: async ({ params, body, caller, db, createRequest }) => {
      const before = await caller.findLive("environment", params.environment, "update");
      const { id, accountId } = before;
      await assertNoUnfinishedRequest(["destroy_environment"], db, "environment", id);
      const { name, tags, ...attributes } = body.environment;
      await requireApplication(caller, attributes.application_id, accountId);
      if (name && name !== before.name) await requireFreeName(db, accountId, name);
      const { encrypted_ebs_for_everything: all, encrypted_database_ebs: databases } = attributes;
      if (all === false) await resolveEncryption(db, accountId, { path: ENCRYPTION_PATH, requested: all });
      const reencrypts =
        (all ?? before.encryptedEbsForEverything) !== before.encryptedEbsForEverything ||
        (databases ?? before.encryptedDatabaseEbs) !== before.encryptedDatabaseEbs;
      if (reencrypts) await requireNoServers(db, id);
      const started = await changeTags({ db, createRequest }, "environment", before, { tags });
      const data = { ...asFields(attributes), ...(name && { name }) };
      return { ...(await db.environment.update({ where: { id }, data })), started };
    },
  }),

  endpoint({
    route: "POST /environments/:environment/deprovision",
    alsoAs: { deprovisionEnvironmentByPut: "PUT /environments/:environment/deprovision" },
    summary: "Remove an environment's servers and their shared objects; the environment can be booted again",
    transaction: true,
    reply: requested("deprovision_environment"),
    handle: async ({ params, caller, db, createRequest }) => {
      const { id, accountId } = await findIdleEnvironment(caller, db, params.environment);
      return createRequest("deprovision_environment", { accountId, resource: { type: "environment", id }, input: {} });
    },
  }),

  endpoint({
    route: "POST /environments/:environment/apply",
    summary: "Apply the records of an environment's servers to them, and update the records from AWS",
    transaction: true,
    reply: requested("configure_environment"),
    handle: async ({ params, caller, db, createRequest }) => {
      const { id, accountId } = await findIdleEnvironment(caller, db, params.environment);
      await assertNoUnfinishedRequest(["configure_environment"], db, "environment", id);
      return createRequest("configure_environment", { accountId, resource: { type: "environment", id }, input: {} });
    },
  }),

  endpoint({
    route: "DELETE /environments/:environment",
    summary: "Remove an environment with its servers and its snapshots",
    transaction: true,
    reply: requested("destroy_environment"),
    handle: async ({ params, caller, db, createRequest }) => {
      const { id, accountId } = await findDestroyableEnvironment(caller, db, params.environment);
      return createRequest("destroy_environment", { accountId, resource: { type: "environment", id }, input: {} });
    },
  }),
];

async function requireApplication(caller: Caller, id: number | null | undefined, accountId: string): Promise<void> {
  if (id == null) return;
  const application = await caller.find("application", id, "share");
  requireSameAccount(application, { accountId }, "environment.application_id");
  requireLive("application", application);
}

async function requireFreeName(db: Tx, accountId: string, name: string): Promise<void> {
  const other = await db.environment.findFirst({ where: { accountId, name, deletedAt: null }, select: { id: true } });
  if (other)
    throw conflict(`the account already has an environment with this name: ${other.id}`, {
      path: "environment.name",
      blocking: [`environments/${other.id}`],
    });
}

async function requireNoServers(db: Tx, environmentId: number): Promise<void> {
  const server = await db.server.findFirst({ where: { environmentId, deletedAt: null }, select: { id: true } });
  if (server)
    throw conflict(`server ${server.id} already has volumes, so encryption cannot be changed`, {
      blocking: [`servers/${server.id}`],
    });
}
