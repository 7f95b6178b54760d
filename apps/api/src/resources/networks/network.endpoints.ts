import { insertInto } from "@gantry/db";
import { field, network } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { strict } from "../../http/input/input.js";
import { nameText } from "../../http/input/names.js";
import { integerId } from "../../http/input/references.js";
import { references, text } from "../../http/lists/filters.js";
import { ownTags, tagsInput } from "../../http/lists/tags.js";
import { many } from "../../http/reply/list.js";
import { changed, one, requested } from "../../http/reply/reply.js";
import { assertNoDependents } from "../dependents.js";
import { findUsableProvider } from "../providers/provider.rules.js";
import { listRecords, removeByRequest, showRecord } from "../record-endpoints.js";
import { changeTags } from "../tags/tag.changes.js";
import { cidrBlock } from "./network.cidr.js";
import { plannedNetwork } from "./network.plan.js";
import { requireRoomForPrivateSubnets } from "./network.rules.js";

const networkName = nameText.describe("The tag `Name` of its objects in AWS");

export const networkEndpoints = [
  endpoint({
    route: "POST /networks",
    summary: "Provision a network, with a subnet in each zone unless `skip_subnets` is true",
    body: strict({
      provider: integerId("providers"),
      network: strict({
        cidr: cidrBlock,
        location: field(z.string(), "us-east-1"),
        name: networkName.optional(),
        tags: ownTags,
        skip_subnets: z.boolean().default(false),
        private_subnets: z
          .boolean()
          .default(false)
          .describe("True to also create a private subnet in each zone, with a NAT gateway, for which AWS charges"),
      }),
    }),
    reply: requested("provision_network"),
    handle: async ({ body, caller, db, createRequest }) => {
      const {
        cidr,
        location,
        name = null,
        tags,
        skip_subnets: skipSubnets,
        private_subnets: privateSubnets,
      } = body.network;
      if (privateSubnets) requireRoomForPrivateSubnets(body.network);
      const provider = await findUsableProvider(caller, body.provider, location, "network.location");
      const { accountId, id: providerId } = provider;
      const id = uuidv7();
      return createRequest("provision_network", {
        accountId,
        resource: { type: "network", id },
        input: { skipSubnets },
        rows: [insertInto("networks", { id, accountId, providerId, location, cidr, privateSubnets, name, tags })],
        planned: () => plannedNetwork(db, { providerId, region: location, skipSubnets, privateSubnets }),
        conflictsChecked: true,
      });
    },
  }),

  endpoint({
    route: "PUT /networks/:network",
    summary: "Change a network's name, or replace its own tags; a Request of type `update_tags` applies both in AWS",
    body: strict({ network: strict({ name: networkName.optional(), tags: tagsInput.optional() }) }),
    transaction: true,
    reply: changed(network),
    handle: async ({ params, body, caller, db, createRequest }) => {
      const row = await caller.find("network", params.network, "update");
      const { name = row.name, tags } = body.network;
      const started = await changeTags({ db, createRequest }, "network", row, { tags, renamed: name !== row.name });
      return { ...(await db.network.update({ where: { id: row.id }, data: { name } })), started };
    },
  }),

  removeByRequest("DELETE /networks/:network", {
    summary: "Deprovision a network without subnets",
    type: "network",
    request: "deprovision_network",
    check: (db, { id }) => assertNoDependents(db, "network", id),
  }),

  showRecord("GET /networks/:network", "Show a network", one(network), "network"),

  listRecords(
    "GET /networks",
    "List networks",
    many(network, {
      filters: { provider: references("provider", "provider_id"), provisioned_id: text, name: text, location: text },
    }),
    "network",
  ),
];
