import type { Blueprint } from "@gantry/db";
import { z } from "zod";
import { resource } from "../declarations/record.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";
import type { ServerSpec } from "../servers/server.spec.js";

/** A server in a blueprint: all that is needed to boot an equal one. */
export type BlueprintServer = Pick<ServerSpec, "role"> & { flavor: string } & Partial<Omit<ServerSpec, "path">>;

const server = z.object({
  role: z.string(),
  flavor: z.string(),
  name: z.string().nullable(),
  dedicated: z.boolean(),
  volume_size: z.int().nullable(),
  mnt_volume_size: z.int().nullable(),
  iops: z.int().nullable(),
  volume_type: z.string().nullable(),
});

export const blueprint = resource({
  name: "blueprint",
  plural: "blueprints",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.uuid(),
      name: z.string(),
      account: z.url(),
      environment: z.url(),
      servers: z.array(server),
      ...deletableTimestamps,
    })
    .meta({ id: "Blueprint" }),
  serialize: (row: Blueprint, link) => ({
    id: row.id,
    name: row.name,
    account: link("accounts", row.accountId),
    environment: link("environments", row.environmentId),
    servers: blueprintServers(row).map((server) => ({
      role: server.role,
      flavor: server.flavor,
      name: server.name ?? null,
      dedicated: server.dedicated ?? false,
      volume_size: server.volumeSizeGb ?? null,
      mnt_volume_size: server.mntVolumeSizeGb ?? null,
      iops: server.iops ?? null,
      volume_type: server.volumeType ?? null,
    })),
    ...deletableTimestampsOf(row),
  }),
});

/** The servers of a blueprint: only the endpoint that creates blueprints writes the column. */
export function blueprintServers({ servers }: Blueprint): BlueprintServer[] {
  return servers as unknown as BlueprintServer[];
}
