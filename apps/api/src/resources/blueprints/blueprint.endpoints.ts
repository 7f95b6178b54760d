import type { Prisma, Server, Tx, Volume } from "@gantry/db";
import { type BlueprintServer, blueprint, type ServerRole } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { nameText } from "../../http/input/names.js";
import { references, text } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { created, one } from "../../http/reply/reply.js";
import { listChildren, listRecords, removeRecord, showRecord } from "../record-endpoints.js";

const list = many(blueprint, {
  filters: { name: text, environment: references("environment") },
});

export const blueprintEndpoints = [
  endpoint({
    route: "POST /environments/:environment/blueprints",
    alsoAs: { saveEnvironmentBlueprint: "POST /environments/:environment/blueprint" },
    summary: "Save an environment's servers as a blueprint",
    body: strict({ blueprint: strict({ name: nameText }) }),
    transaction: true,
    reply: created(blueprint),
    handle: async ({ params, body, caller, db }) => {
      const environment = await caller.find("environment", params.environment, "share");
      const { id: environmentId, accountId } = environment;
      const servers = await captureServers(db, environmentId);
      if (servers.length === 0) throw conflict(`environment ${environmentId} has no servers to save`);
      const { name } = body.blueprint;
      const json = servers as unknown as Prisma.InputJsonArray;
      return db.blueprint.create({ data: { id: uuidv7(), accountId, environmentId, name, servers: json } });
    },
  }),

  listChildren(
    "GET /environments/:environment/blueprints",
    "List an environment's blueprints",
    list,
    "blueprint",
    "environment",
  ),

  listRecords("GET /blueprints", "List blueprints", list, "blueprint"),

  showRecord("GET /blueprints/:blueprint", "Show a blueprint", one(blueprint), "blueprint"),

  endpoint({
    route: "PUT /blueprints/:blueprint",
    summary: "Rename a blueprint",
    body: strict({ blueprint: strict({ name: nameText }) }),
    transaction: true,
    reply: one(blueprint),
    handle: async ({ params, body, caller, db }) => {
      const { id } = await caller.findLive("blueprint", params.blueprint, "update");
      return db.blueprint.update({ where: { id }, data: body.blueprint });
    },
  }),

  removeRecord("DELETE /blueprints/:blueprint", { summary: "Remove a blueprint", model: "blueprint" }),
];

async function captureServers(db: Tx, environmentId: number): Promise<BlueprintServer[]> {
  const servers = await db.server.findMany({
    where: { environmentId, deletedAt: null },
    include: { volumes: { where: { deletedAt: null } } },
    orderBy: { id: "asc" },
  });
  return servers.map(asBlueprintServer);
}

function asBlueprintServer({
  role,
  flavor,
  name,
  dedicated,
  cpuCredits,
  volumes,
}: Server & { volumes: Volume[] }): BlueprintServer {
  const data = volumes.find(({ mount }) => mount === "/data");
  const mnt = volumes.find(({ mount }) => mount === "/mnt");
  return {
    role: role as ServerRole,
    flavor,
    dedicated,
    ...(cpuCredits !== null && { cpuCredits: cpuCredits as "standard" | "unlimited" }),
    ...(name !== null && { name }),
    ...(data && { volumeSizeGb: data.sizeGb, volumeType: data.volumeType }),
    ...(data?.iops && { iops: data.iops }),
    ...(mnt && { mntVolumeSizeGb: mnt.sizeGb }),
  };
}
