import { insertInto, nextIds } from "@gantry/db";
import { snapshot } from "@gantry/resources";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { indexedByValue, references, text } from "../../http/lists/filters.js";
import { mergedTags, ownTags } from "../../http/lists/tags.js";
import { many } from "../../http/reply/list.js";
import { one, requested } from "../../http/reply/reply.js";
import { where } from "../../http/rows/rows.js";
import { listChildren, listRecords, removeByRequest, showRecord } from "../record-endpoints.js";
import { findProvisionedServer } from "../servers/server.rules.js";
import { requireUnused } from "../snapshot-use.js";

const list = many(snapshot, {
  filters: {
    server: indexedByValue(references("server")),
    environment: indexedByValue(references("environment")),
    state: indexedByValue(text),
  },
});

export const snapshotEndpoints = [
  endpoint({
    route: "POST /servers/:server/snapshot",
    summary: "Take a snapshot of each volume of a server",
    body: strict({ snapshot: strict({ tags: ownTags }).prefault({}) }).prefault({}),
    transaction: true,
    reply: requested("snapshot_server"),
    handle: async ({ params, body, caller, db, createRequest }) => {
      const server = await findProvisionedServer(caller, params.server);
      const { id: serverId, accountId, providerId, environmentId, region } = server;
      const volumes = await db.volume.findMany({
        where: { serverId, deletedAt: null, provisionedId: { not: null } },
        orderBy: { id: "asc" },
      });
      const ids = await nextIds(db, "snapshots", volumes.length);
      const tags = mergedTags("snapshot.tags", server.tags, body.snapshot.tags);
      const common = { accountId, providerId, environmentId, serverId, region, tags };
      const [first, ...rest] = volumes.map(({ id: volumeId, sizeGb }, i) => {
        return { id: ids[i] as number, ...common, volumeId, sizeGb };
      });
      if (!first) throw conflict(`server ${serverId} has no volume to snapshot`);
      return createRequest("snapshot_server", {
        accountId,
        resource: { type: "server", id: serverId },
        input: { snapshotIds: ids },
        rows: (requestId) => [
          insertInto("snapshots", { ...first, requestId }, ...rest.map((row) => ({ ...row, requestId }))),
        ],
      });
    },
  }),

  removeByRequest("DELETE /snapshots/:snapshot", {
    summary: "Remove a snapshot",
    type: "snapshot",
    request: "deprovision_snapshot_request",
    check: requireUnused,
  }),

  showRecord("GET /snapshots/:snapshot", "Show a snapshot", one(snapshot), "snapshot"),

  listRecords("GET /snapshots", "List snapshots", list, "snapshot"),

  listChildren(
    "GET /environments/:environment/snapshots",
    "List the snapshots of an environment's servers",
    list,
    "snapshot",
    "environment",
  ),

  listChildren("GET /servers/:server/snapshots", "List a server's snapshots", list, "snapshot", "server"),

  endpoint({
    route: "GET /servers/:server/snapshots/:request",
    summary: "List the snapshots of a server that one request created",
    reply: list,
    handle: async ({ params, caller }) => {
      const { id: serverId } = await caller.find("server", params.server);
      return where("snapshot", { serverId, requestId: (await caller.find("request", params.request)).id });
    },
  }),
];
