import { insertInto, nextId } from "@gantry/db";
import { volume } from "@gantry/records";
import { endpoint } from "../../http/endpoint.js";
import { conflict, invalid, missing } from "../../http/errors.js";
import { references, text } from "../../http/filters.js";
import { strict } from "../../http/input.js";
import { integerId } from "../../http/references.js";
import { many, one, requested } from "../../http/reply.js";
import { resolveEncryption } from "../accounts/account.encryption.js";
import { removeLeaksOf } from "../leaks.js";
import { assertNoOpenRequest } from "../open-requests.js";
import { findZone, requireUsable } from "../providers/provider.rules.js";
import { requireProvisioned } from "../provisioned.js";
import { listChildren, listRecords, showRecord } from "../read-endpoints.js";
import { plannedVolume } from "../servers/server.plan.js";
import { requireSnapshot } from "../servers/server.references.js";
import { findAttachableServer } from "../servers/server.rules.js";
import { findFreeDevice, volumeColumns, volumeInput } from "./volume.rules.js";

const EXCLUSIVE_TYPES = ["attach_volume", "detach_volume", "deprovision_volume"] as const;

const list = many(volume, { filters: { server: references("server"), name: text, mount: text, device: text } });

export const volumeEndpoints = [
  endpoint({
    route: "POST /volumes",
    summary: "Provision a volume in a zone, empty or from a snapshot",
    body: strict({
      provider: integerId("providers"),
      snapshot: integerId("snapshots").optional(),
      volume: volumeInput,
    }),
    transaction: true,
    reply: requested("volume_provision"),
    handle: async ({ body, caller, db, open }) => {
      const { location, size, name = null, tags, encrypted: requested } = body.volume;
      const provider = await caller.find("provider", body.provider, "share");
      requireUsable(provider);
      const { id: providerId, accountId } = provider;
      const { region } = await findZone(db, { providerId, zone: location }, "volume.location");
      const snapshot = body.snapshot
        ? await requireSnapshot(db, { accountId, providerId, region }, body.snapshot)
        : undefined;
      const sizeGb = size ?? snapshot?.sizeGb;
      if (sizeGb === undefined) throw missing("volume.size");
      if (snapshot && sizeGb < snapshot.sizeGb) {
        throw invalid("volume.size", `is less than the ${snapshot.sizeGb} GB of snapshot ${body.snapshot}`);
      }
      const id = await nextId(db, "volumes");
      const attributes = {
        sizeGb,
        ...volumeColumns(body.volume, sizeGb),
        encrypted: await resolveEncryption(db, accountId, { path: "volume.encrypted", requested }),
        fromSnapshot: snapshot?.provisionedId ?? null,
      };
      return open("volume_provision", {
        accountId,
        resource: { type: "volume", id },
        input: {},
        rows: [insertInto("volumes", { id, accountId, providerId, region, location, name, tags, ...attributes })],
        planned: () => [
          { kind: "volume", count: 1, region, zone: location, volumes: [plannedVolume({ name, ...attributes })] },
        ],
      });
    },
  }),

  endpoint({
    route: "POST /volumes/:volume/attach",
    summary: "Attach a volume to a server of the same zone",
    body: strict({ server: integerId("servers") }),
    transaction: true,
    reply: requested("attach_volume"),
    handle: async ({ params, body, caller, db, open }) => {
      const server = await findAttachableServer(caller, db, body.server);
      const row = await caller.find("volume", params.volume, "update");
      const { id, accountId } = row;
      requireProvisioned("volume", row);
      if (row.serverId !== null)
        throw conflict(`the volume ${id} is attached to server ${row.serverId}`, {
          blocking: [`servers/${row.serverId}`],
        });
      await assertNoOpenRequest(EXCLUSIVE_TYPES, db, "volume", id);
      const isSameZone = (["accountId", "providerId", "location"] as const).every((key) => row[key] === server[key]);
      if (!isSameZone) throw invalid("server", `the server ${server.id} is not in the volume's zone, ${row.location}`);
      const input = { serverId: server.id, device: await findFreeDevice(db, server) };
      return open("attach_volume", { accountId, resource: { type: "volume", id }, input });
    },
  }),

  endpoint({
    route: "POST /volumes/:volume/detach",
    summary: "Detach a volume from its server",
    transaction: true,
    reply: requested("detach_volume"),
    handle: async ({ params, caller, db, open }) => {
      const row = await caller.find("volume", params.volume, "update");
      const { id, accountId, serverId } = row;
      if (row.deletedAt || serverId === null) throw conflict(`the volume ${id} is not attached to a server`);
      if (row.mount === "/")
        throw conflict(`the volume ${id} is the root disk of server ${serverId}`, {
          blocking: [`servers/${serverId}`],
        });
      await assertNoOpenRequest(EXCLUSIVE_TYPES, db, "volume", id);
      await assertNoOpenRequest(["provision_server", "deprovision_server", "snapshot_server"], db, "server", serverId);
      return open("detach_volume", { accountId, resource: { type: "volume", id }, input: {} });
    },
  }),

  endpoint({
    route: "DELETE /volumes/:volume",
    summary: "Remove a volume that is not attached to a server",
    transaction: true,
    reply: requested("deprovision_volume", "remove_leaked_resources"),
    handle: async ({ params, caller, db, open }) => {
      const row = await caller.find("volume", params.volume, "update");
      const { id, accountId } = row;
      if (row.deletedAt) return removeLeaksOf(db, open, "volume", { id, accountId });
      if (row.serverId !== null)
        throw conflict(`the volume ${id} is attached to server ${row.serverId}`, {
          blocking: [`servers/${row.serverId}`],
        });
      await assertNoOpenRequest(EXCLUSIVE_TYPES, db, "volume", id);
      return open("deprovision_volume", { accountId, resource: { type: "volume", id }, input: {} });
    },
  }),

  showRecord("GET /volumes/:volume", "Show a volume", one(volume), "volume"),

  listRecords("GET /volumes", "List volumes", list, "volume"),

  listChildren("GET /servers/:server/volumes", "List a server's volumes", list, "volume", "server"),
];
