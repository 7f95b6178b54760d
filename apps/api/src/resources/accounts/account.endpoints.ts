import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { forbidden } from "../../http/errors.js";
import { equals, indexed, text } from "../../http/filters.js";
import { strict } from "../../http/input.js";
import { nameText } from "../../http/names.js";
import { created, many, one } from "../../http/reply.js";
import { where } from "../../http/rows.js";
import { listRecords, showRecord } from "../read-endpoints.js";
import { findVisibleUser } from "../users/user.visibility.js";
import { account, encryption } from "./account.resource.js";

const emergencyContact = z.string().max(500).nullable();

const filters = { name: text, id: indexed(equals(z.uuid())) };

export const accountEndpoints = [
  listRecords("GET /accounts", "List the caller's accounts", many(account, { filters }), "account"),

  endpoint({
    route: "POST /accounts",
    self: "person",
    summary: "Create an account, which the caller owns",
    transaction: true,
    body: strict({
      account: strict({ name: nameText, emergency_contact: emergencyContact.optional() }),
    }),
    reply: created(account),
    handle: async ({ body, caller, db, onCommit, note, appContext }) => {
      const { name, emergency_contact } = body.account;
      const { id: userId } = caller.user;
      const id = uuidv7();
      const made = await db.account.create({ data: { id, name, emergencyContact: emergency_contact ?? null } });
      await db.membership.create({ data: { id: uuidv7(), accountId: id, userId, role: "owner" } });
      note({ accountId: id });
      onCommit(() => appContext.identities.forget(userId));
      return made;
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
      "Change an account's emergency contact; whether it requires encryption (administrators); its limit (staff)",
    body: strict({
      account: strict({
        emergency_contact: emergencyContact.optional(),
        encryption: encryption.optional().describe("With `required` new disks and databases are encrypted"),
        open_request_limit: z
          .int()
          .min(1)
          .max(1_000_000)
          .nullable()
          .optional()
          .describe("The requests that may be open at once; null for the installation's limit"),
      }),
    }),
    reply: one(account),
    handle: async ({ params, body, caller, db }) => {
      const { id } = await caller.find("account", params.account_id);
      const { emergency_contact: emergencyContact, encryption, open_request_limit: openRequestLimit } = body.account;
      if (openRequestLimit !== undefined) caller.requireStaff("only staff may change this limit");
      if (encryption !== undefined && !(caller.hasScope("admin") && caller.may("admin", id))) {
        throw forbidden("only an administrator may change the encryption of an account");
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
