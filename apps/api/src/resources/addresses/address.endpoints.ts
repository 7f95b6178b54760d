import { insertInto, nextId } from "@gantry/db";
import { address } from "@gantry/records";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors.js";
import { references, text } from "../../http/filters.js";
import { strict } from "../../http/input.js";
import { integerId } from "../../http/references.js";
import { many, one, requested } from "../../http/reply.js";
import { ownTags } from "../../http/tags.js";
import { removeLeaksOf } from "../leaks.js";
import { assertNoOpenRequest } from "../open-requests.js";
import { requireCapacity } from "../providers/provider.limits.js";
import { findUsableProvider } from "../providers/provider.rules.js";
import { listChildren, listRecords, showRecord } from "../read-endpoints.js";
import { requireFreeAddress } from "../servers/server.references.js";
import { findAttachableServer, findPendingAttachments, requirePublicSubnet } from "../servers/server.rules.js";

const EXCLUSIVE_TYPES = ["attach_address", "detach_address", "deprovision_address_request"] as const;

const list = many(address, {
  filters: { provisioned_id: text, ip_address: text, server: references("server"), location: text },
});

export const addressEndpoints = [
  endpoint({
    route: "POST /addresses",
    summary: "Provision a public address in a region",
    body: strict({ provider: integerId("providers"), address: strict({ location: z.string(), tags: ownTags }) }),
    transaction: true,
    reply: requested("address_provision"),
    handle: async ({ body, caller, db, open }) => {
      const { location, tags } = body.address;
      const provider = await findUsableProvider(caller, body.provider, location, "address.location");
      const { id: providerId, accountId } = provider;
      await requireCapacity(db, "addresses", { providerId, region: location }, 1);
      const id = await nextId(db, "addresses");
      return open("address_provision", {
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
    handle: async ({ params, body, caller, db, open }) => {
      const { id, accountId } = await caller.find("address", params.address);
      const server = await findAttachableServer(caller, db, body.server);
      await requirePublicSubnet(db, server);
      await requireFreeAddress(db, server, id, "server");
      await assertNoOpenRequest(EXCLUSIVE_TYPES, db, "address", id);
      if (server.addressId !== null)
        throw conflict(`the server ${server.id} has address ${server.addressId} already`, {
          about: { model: "server", id: server.id },
          blocking: [`addresses/${server.addressId}`],
        });
      const [other] = await findPendingAttachments(db, "attach_address", server);
      if (other)
        throw conflict(`the server ${server.id} is about to have another address: attach_address ${other.id}`, {
          about: { model: "server", id: server.id },
          blocking: [`requests/${other.id}`],
        });
      const resource = { type: "address", id } as const;
      return open("attach_address", { accountId, resource, input: { serverId: server.id } });
    },
  }),

  endpoint({
    route: "POST /addresses/:address/detach",
    alsoAs: { detachAddressByPut: "PUT /addresses/:address/detach" },
    summary: "Detach an address from its server",
    transaction: true,
    reply: requested("detach_address"),
    handle: async ({ params, caller, db, open }) => {
      const { id, accountId, serverId } = await caller.find("address", params.address, "update");
      if (serverId === null) throw conflict(`the address ${id} is not attached to a server`);
      await assertNoOpenRequest(EXCLUSIVE_TYPES, db, "address", id);
      return open("detach_address", { accountId, resource: { type: "address", id }, input: {} });
    },
  }),

  endpoint({
    route: "DELETE /addresses/:address",
    summary: "Release an address that is not attached to a server",
    transaction: true,
    reply: requested("deprovision_address_request", "remove_leaked_resources"),
    handle: async ({ params, caller, db, open }) => {
      const row = await caller.find("address", params.address, "update");
      const { id, accountId } = row;
      if (row.deletedAt) return removeLeaksOf(db, open, "address", { id, accountId });
      if (row.serverId !== null)
        throw conflict(`the address ${id} is attached to server ${row.serverId}`, {
          blocking: [`servers/${row.serverId}`],
        });
      await assertNoOpenRequest(EXCLUSIVE_TYPES, db, "address", id);
      return open("deprovision_address_request", { accountId, resource: { type: "address", id }, input: {} });
    },
  }),

  showRecord("GET /addresses/:address", "Show an address", one(address), "address"),

  listRecords("GET /addresses", "List addresses", list, "address"),

  listChildren("GET /accounts/:account/addresses", "List an account's addresses", list, "address", "account"),
];
