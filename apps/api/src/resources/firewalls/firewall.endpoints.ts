import { firewall } from "@gantry/resources";
import { endpoint } from "../../http/endpoint.js";
import { text } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { one } from "../../http/reply/reply.js";
import { where } from "../../http/rows/rows.js";
import { listChildren, listRecords, showRecord } from "../record-endpoints.js";

const list = many(firewall, { filters: { provisioned_id: text, name: text } });

export const firewallEndpoints = [
  showRecord("GET /firewalls/:firewall", "Show a firewall", one(firewall), "firewall"),

  listRecords("GET /firewalls", "List firewalls", list, "firewall"),

  listChildren(
    "GET /environments/:environment/firewalls",
    "List the firewalls of an environment's servers",
    list,
    "firewall",
    "environment",
  ),

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
