import { insertInto, nextId } from "@gantry/db";
import { address, field } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { strict } from "../../http/input/input.js";
import { integerId } from "../../http/input/references.js";
import { indexed, references, text } from "../../http/lists/filters.js";
import { ownTags } from "../../http/lists/tags.js";
import { many } from "../../http/reply/list.js";
import { one, requested } from "../../http/reply/reply.js";
import { listChildren, listRecords, removeByRequest, showRecord } from "../record-endpoints.js";
import { findAttachment, findDetachableAddress, requireAllowedAddress, requireDetached } from "./address.rules.js";

const list = many(address, {
  filters: { provisioned_id: text, ip_address: text, server: indexed(references("server")), location: text },
});

export const addressEndpoints = [
  endpoint({
    route: "POST /addresses",
    summary: "Provision a public address in a region",
    body: strict({
      provider: integerId("providers"),
      address: strict({ location: field(z.string(), "us-east-1"), scope: z.enum(["vpc"]).optional(), tags: ownTags }),
    }),
    transaction: true,
    reply: requested("address_provision"),
    handle: async ({ body, caller, db, createRequest }) => {
      const { location, tags } = body.address;
      const { id: providerId, accountId } = await requireAllowedAddress(caller, db, body.provider, location);
      const id = await nextId(db, "addresses");
      return createRequest("address_provision", {
        accountId,
        resource: { type: "address", id },
        input: {},
        rows: [insertInto("addresses", { id, accountId, providerId, location, tags })],
        planned: () => [{ kind: "address", count: 1, region: location }],
      });
    },
  }),

  endpoint({
    route: "POST /addresses/:address/attach",
    alsoAs: { attachAddressByPut: "PUT /addresses/:address/attach" },
    summary: "Attach an address to a server",
    body: strict({ server: integerId("servers") }),
    transaction: true,
    reply: requested("attach_address"),
    handle: async ({ params, body, caller, db, createRequest }) => {
      const { address, serverId } = await findAttachment(caller, db, params.address, body.server);
      const { id, accountId } = address;
      return createRequest("attach_address", { accountId, resource: { type: "address", id }, input: { serverId } });
    },
  }),

  endpoint({
    route: "POST /addresses/:address/detach",
    alsoAs: { detachAddressByPut: "PUT /addresses/:address/detach" },
    summary: "Detach an address from its server",
    transaction: true,
    reply: requested("detach_address"),
    handle: async ({ params, caller, db, createRequest }) => {
      const { id, accountId } = await findDetachableAddress(caller, db, params.address);
      return createRequest("detach_address", { accountId, resource: { type: "address", id }, input: {} });
    },
  }),

  removeByRequest("DELETE /addresses/:address", {
    summary: "Release an address that is not attached to a server",
    type: "address",
    request: "deprovision_address_request",
    check: requireDetached,
  }),

  showRecord("GET /addresses/:address", "Show an address", one(address), "address"),

  listRecords("GET /addresses", "List addresses", list, "address"),

  listChildren("GET /accounts/:account/addresses", "List an account's addresses", list, "address", "account"),
];
