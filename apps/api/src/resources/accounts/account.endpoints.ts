import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { equals, text } from "../../http/filters.js";
import { strict } from "../../http/input.js";
import { many, one } from "../../http/reply.js";
import { where } from "../../http/rows.js";
import { listRecords, showRecord } from "../read-endpoints.js";
import { findVisibleUser } from "../users/user.visibility.js";
import { account } from "./account.resource.js";

const filters = { name: text, id: equals(z.uuid()) };

export const accountEndpoints = [
  listRecords("GET /accounts", "List the caller's accounts", many(account, { filters }), "account"),

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
    summary: "Change an account's emergency contact",
    body: strict({ account: strict({ emergency_contact: z.string().max(500).nullable() }) }),
    reply: one(account),
    handle: async ({ params, body, caller, db }) => {
      const { id } = await caller.find("account", params.account_id);
      return db.account.update({ where: { id }, data: { emergencyContact: body.account.emergency_contact } });
    },
  }),
];
