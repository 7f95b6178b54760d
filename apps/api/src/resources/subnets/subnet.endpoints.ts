import { insertInto } from "@gantry/db";
import { field, subnet } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { strict } from "../../http/input/input.js";
import { uuidOf } from "../../http/input/references.js";
import { indexed, inParent, references, text } from "../../http/lists/filters.js";
import { mergedTags, ownTags } from "../../http/lists/tags.js";
import { many } from "../../http/reply/list.js";
import { one, requested } from "../../http/reply/reply.js";
import { cidrBlock } from "../networks/network.cidr.js";
import { listRecords, removeByRequest, showRecord } from "../record-endpoints.js";
import { requireAllowedSubnet, requireUnused } from "./subnet.rules.js";

export const subnetEndpoints = [
  endpoint({
    route: "POST /subnets",
    summary: "Provision a subnet in a network",
    body: strict({
      network: uuidOf("networks"),
      subnet: strict({
        cidr: cidrBlock,
        location: field(z.string(), "us-east-1"),
        tags: ownTags,
        private: z
          .boolean()
          .default(false)
          .describe("True to route outbound traffic only through the network's NAT gateway"),
      }),
    }),
    transaction: true,
    reply: requested("provision_subnet"),
    handle: async ({ body, caller, db, createRequest }) => {
      const network = await caller.find("network", body.network, "update");
      await requireAllowedSubnet(db, network, body.subnet);
      const { accountId } = network;
      const tags = mergedTags("subnet.tags", network.tags, body.subnet.tags);
      const id = uuidv7();
      return createRequest("provision_subnet", {
        accountId,
        resource: { type: "subnet", id },
        input: {},
        rows: [insertInto("subnets", { id, accountId, networkId: network.id, ...body.subnet, tags })],
      });
    },
  }),

  removeByRequest("DELETE /subnets/:subnet", {
    summary: "Deprovision a subnet",
    type: "subnet",
    request: "deprovision_subnet",
    check: requireUnused,
  }),

  showRecord("GET /subnets/:subnet", "Show a subnet", one(subnet), "subnet"),

  listRecords(
    "GET /subnets",
    "List subnets",
    many(subnet, {
      filters: {
        network: indexed(references("network", "network_id")),
        provider: inParent("network_id", "networks", references("provider", "provider_id")),
        provisioned_id: text,
        name: text,
        location: text,
      },
    }),
    "subnet",
  ),
];
