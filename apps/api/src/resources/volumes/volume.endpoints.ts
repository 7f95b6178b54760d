import { insertInto, nextId } from "@gantry/db";
import { volume } from "@gantry/resources";
import { endpoint } from "../../http/endpoint.js";
import { invalid, missing } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { integerId } from "../../http/input/references.js";
import { indexed, indexedByValue, references, text } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { one, requested } from "../../http/reply/reply.js";
import { listChildren, listRecords, removeByRequest, showRecord } from "../record-endpoints.js";
import { plannedVolume } from "../servers/server.plan.js";
import { modifyVolume, volumeChangesInput } from "./volume.modification.js";
import {
  findAttachment,
  findDetachableVolume,
  requireAllowedVolume,
  requireDetached,
  volumeColumns,
  volumeInput,
} from "./volume.rules.js";

const list = many(volume, {
  filters: {
    server: indexed(references("server")),
    name: indexedByValue(text),
    mount: indexedByValue(text),
    device: indexedByValue(text),
  },
});

export const volumeEndpoints = [
  endpoint({
    route: "POST /volumes",
    summary: "Provision an empty volume, or one from a snapshot, in a zone",
    body: strict({
      provider: integerId("providers"),
      snapshot: integerId("snapshots").optional(),
      volume: volumeInput,
    }),
    transaction: true,
    reply: requested("volume_provision"),
    handle: async ({ body, caller, db, createRequest }) => {
      const { location, size, name = null, tags, encrypted: requested } = body.volume;
      const provider = await caller.find("provider", body.provider, "share");
      const { id: providerId, accountId } = provider;
      const wanted = { location, snapshotId: body.snapshot, encrypted: requested };
      const { region, snapshot, encrypted } = await requireAllowedVolume(db, provider, wanted);
      const sizeGb = size ?? snapshot?.sizeGb;
      if (sizeGb === undefined) throw missing("volume.size");
      if (snapshot && sizeGb < snapshot.sizeGb) {
        throw invalid("volume.size", `must be at least the ${snapshot.sizeGb} GB of snapshot ${body.snapshot}`);
      }
      const id = await nextId(db, "volumes");
      const attributes = {
        sizeGb,
        ...volumeColumns(body.volume, sizeGb),
        encrypted,
        fromSnapshot: snapshot?.provisionedId ?? null,
      };
      return createRequest("volume_provision", {
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
    summary: "Attach a volume to a server in the same zone",
    body: strict({ server: integerId("servers") }),
    transaction: true,
    reply: requested("attach_volume"),
    handle: async ({ params, body, caller, db, createRequest }) => {
      const { volume, ...input } = await findAttachment(caller, db, params.volume, body.server);
      const { id, accountId } = volume;
      return createRequest("attach_volume", { accountId, resource: { type: "volume", id }, input });
    },
  }),

  endpoint({
    route: "POST /volumes/:volume/detach",
    summary: "Detach a volume from its server",
    transaction: true,
    reply: requested("detach_volume"),
    handle: async ({ params, caller, db, createRequest }) => {
      const { id, accountId } = await findDetachableVolume(caller, db, params.volume);
      return createRequest("detach_volume", { accountId, resource: { type: "volume", id }, input: {} });
    },
  }),

  endpoint({
    route: "POST /volumes/:volume/modify",
    summary: "Give a volume another size, type or speed in place, attached or not",
    body: strict({ volume: volumeChangesInput }),
    transaction: true,
    reply: requested("modify_volume"),
    handle: ({ params, body, ...act }) => modifyVolume(act, params.volume, body.volume),
  }),

  removeByRequest("DELETE /volumes/:volume", {
    summary: "Remove a volume that is not attached to a server",
    type: "volume",
    request: "deprovision_volume",
    check: requireDetached,
  }),

  showRecord("GET /volumes/:volume", "Show a volume", one(volume), "volume"),

  listRecords("GET /volumes", "List volumes", list, "volume"),

  listChildren("GET /servers/:server/volumes", "List a server's volumes", list, "volume", "server"),
];
