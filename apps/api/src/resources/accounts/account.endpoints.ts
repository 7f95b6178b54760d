import { randomBytes } from "node:crypto";
import type { Tx } from "@gantry/db";
import { account, encryption, field } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { endpoint } from "../../http/endpoint.js";
import { forbidden, invalid, missing, notFound } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { nameText, singleLine } from "../../http/input/names.js";
import { uuidOf } from "../../http/input/references.js";
import { equals, indexed, text } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { created, one } from "../../http/reply/reply.js";
import { where } from "../../http/rows/rows.js";
import { listRecords, showRecord } from "../record-endpoints.js";
import { findVisibleUser } from "../users/user.visibility.js";

const emergencyContact = field(z.string().max(500).nullable(), "+1 555 0100");

const filters = { name: text, id: indexed(equals(z.uuid())) };

export const accountEndpoints = [
  listRecords("GET /accounts", "List the caller's accounts", many(account, { filters }), "account"),

  endpoint({
    route: "POST /accounts",
    self: "person",
    summary: "Create an account that is owned by the caller, or by a user that staff choose",
    transaction: true,
    body: strict({
      account: strict({
        name: nameText.optional(),
        name_prefix: field(singleLine(190), "shop")
          .optional()
          .describe("Instead of a name: a prefix, to which a random suffix is added"),
        plan: nameText.optional().describe("Shown as `support_plan`; has no effect"),
        emergency_contact: emergencyContact.optional(),
      }),
      owner: uuidOf("users").optional().describe("The user who owns the account; only staff can choose another user"),
    }),
    alsoInQuery: ["owner"],
    reply: created(account),
    handle: async ({ body, caller, db, onCommit, note, identities }) => {
      const { plan, emergency_contact: emergencyContact = null } = body.account;
      const userId = await ownerOf(db, caller, body.owner);
      const data = { id: uuidv7(), name: nameOf(body.account), emergencyContact, ...(plan && { supportPlan: plan }) };
      const account = await db.account.create({ data });
      await db.membership.create({ data: { id: uuidv7(), accountId: account.id, userId, role: "owner" } });
      note({ accountId: account.id });
      onCommit(() => identities.forget(userId));
      return account;
    },
  }),

  endpoint({
    route: "GET /users/:user_id/accounts",
    summary: "List the accounts that a user shares with the caller",
    reply: many(account, { filters }),
    handle: async ({ params, caller, db }) => {
      const user = await findVisibleUser(db, caller, params.user_id);
      const memberships = await db.membership.findMany({ where: { userId: user.id } });
      const sharedIds = memberships.map(({ accountId }) => accountId).filter((id) => caller.sees(id));
      return where("account", { id: sharedIds });
    },
  }),

  showRecord("GET /accounts/:account_id", "Show an account", one(account), "account"),

  endpoint({
    route: "PUT /accounts/:account_id",
    summary:
      "Change an account: its emergency contact, required encryption (administrators only) or limit (staff only)",
    body: strict({
      account: strict({
        emergency_contact: emergencyContact.optional(),
        encryption: encryption.optional().describe("With `required`, new disks and databases are always encrypted"),
        open_request_limit: field(
          z.int().min(1).max(1_000_000).nullable().optional(),
          1000,
          "The maximum number of unfinished requests; null for the installation's limit",
        ),
      }),
    }),
    reply: one(account),
    handle: async ({ params, body, caller, db }) => {
      const { id } = await caller.find("account", params.account_id);
      const { emergency_contact: emergencyContact, encryption, open_request_limit: openRequestLimit } = body.account;
      if (openRequestLimit !== undefined) caller.requireStaff("only staff can change this limit");
      if (encryption !== undefined && !(caller.hasScope("admin") && caller.may("admin", id))) {
        throw forbidden("only an administrator can change an account's encryption setting");
      }
      const data = {
        ...(emergencyContact !== undefined && { emergencyContact }),
        ...(openRequestLimit !== undefined && { openRequestLimit }),
        ...(encryption !== undefined && { requiresEncryption: encryption === "required" }),
      };
      return db.account.update({ where: { id }, data });
    },
  }),
];

/** @throws 422 without a name or the beginning of one, or with both */
function nameOf({
  name,
  name_prefix: prefix,
}: {
  name?: string | undefined;
  name_prefix?: string | undefined;
}): string {
  if (name !== undefined && prefix !== undefined)
    throw invalid("account.name_prefix", "cannot be combined with a name");
  const chosen = name ?? (prefix && `${prefix.replace(/-$/, "")}-${randomBytes(4).toString("hex")}`);
  if (chosen === undefined) throw missing("account.name");
  return chosen;
}

/** @throws 403 if the caller names another user without being staff; 404 if the caller cannot see the person */
async function ownerOf(db: Tx, caller: Caller, named: string | undefined): Promise<string> {
  if (named === undefined || named === caller.user.id) return caller.user.id;
  const user = await findVisibleUser(db, caller, named);
  caller.requireStaff("only staff can create accounts for other users; omit owner to own the account yourself");
  if (user.service) throw notFound({ model: "user", id: named });
  return user.id;
}
