import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { equals, text } from "../../http/filters.js";
import { strict } from "../../http/input.js";
import { many, one } from "../../http/reply.js";
import { where } from "../../http/rows.js";
import { visibleUser } from "../users/visible-users.js";
import { account } from "./account.resource.js";

const filters = { name: text, id: equals(z.uuid()) };

export const accountEndpoints = [
  endpoint({
    route: "GET /accounts",
    summary: "List the accounts one is in",
    reply: many(account, { filters }),
    handle: ({ caller }) => caller.all("account"),
  }),

  endpoint({
    route: "GET /users/:user_id/accounts",
    summary: "List the accounts a user is in, of those that one sees oneself",
    reply: many(account, { filters }),
    handle: async ({ params, caller, db }) => {
      const user = await visibleUser(db, caller, params.user_id);
      const memberships = await db.membership.findMany({ where: { userId: user.id } });
      const shared = memberships.map(({ accountId }) => accountId).filter((id) => caller.sees(id));
      return where("account", { id: shared });
    },
  }),

  endpoint({
    route: "GET /accounts/:account_id",
    summary: "Show an account",
    reply: one(account),
    handle: ({ params, caller }) => caller.find("account", params.account_id),
  }),

  endpoint({
    route: "PUT /accounts/:account_id",
    summary: "Name whom to call in an emergency",
    body: strict({ account: strict({ emergency_contact: z.string().max(500).nullable() }) }),
    reply: one(account),
    handle: async ({ params, body, caller, db }) => {
      const { id } = await caller.find("account", params.account_id);
      return db.account.update({ where: { id }, data: { emergencyContact: body.account.emergency_contact } });
    },
  }),
];
