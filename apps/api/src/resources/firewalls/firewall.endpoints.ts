import { endpoint } from "../../http/endpoint.js";
import { text } from "../../http/filters.js";
import { many, one } from "../../http/reply.js";
import { where } from "../../http/rows.js";
import { childRows } from "../child-rows.js";
import { firewall } from "./firewall.resource.js";

const list = many(firewall, { filters: { provisioned_id: text, name: text } });

export const firewallEndpoints = [
  endpoint({
    route: "GET /firewalls/:firewall",
    summary: "Show a firewall",
    reply: one(firewall),
    handle: ({ params, caller }) => caller.find("firewall", params.firewall),
  }),

  endpoint({
    route: "GET /firewalls",
    summary: "List firewalls",
    reply: list,
    handle: ({ caller }) => caller.all("firewall"),
  }),

  endpoint({
    route: "GET /environments/:environment/firewalls",
    summary: "List the firewalls of an environment's servers",
    reply: list,
    handle: ({ params, caller }) => childRows(caller, "firewall", { environment: params.environment }),
  }),

  endpoint({
    route: "GET /servers/:server/firewalls",
    summary: "List a server's firewalls",
    reply: list,
    handle: async ({ params, caller }) =>
      where("firewall", { environmentId: (await caller.find("server", params.server)).environmentId }),
  }),

  endpoint({
    route: "GET /database-servers/:database_server/firewalls",
    summary: "List a database server's firewalls",
    reply: list,
    handle: async ({ params, caller }) => {
      const { databaseServiceId } = await caller.find("databaseServer", params.database_server);
      return where("firewall", { databaseServiceId });
    },
  }),
];
