import type { Blueprint } from "@gantry/db";
import { z } from "zod";
import { iso, isoOrNull, resource, timestamp } from "../../http/resource.js";
import type { WantedServer } from "../servers/new-servers.js";

/** A server as a blueprint holds it: what it takes to boot the like. */
export type BlueprintServer = Pick<WantedServer, "role" | "flavor"> & Partial<Omit<WantedServer, "path">>;

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
      created_at: timestamp,
      updated_at: timestamp,
      deleted_at: timestamp.nullable(),
    })
    .meta({ id: "Blueprint" }),
  serialize: (row: Blueprint, link) => ({
    id: row.id,
    name: row.name,
    account: link("accounts", row.accountId),
    environment: link("environments", row.environmentId),
    servers: serversIn(row).map((server) => ({
      role: server.role,
      flavor: server.flavor,
      name: server.name ?? null,
      dedicated: server.dedicated ?? false,
      volume_size: server.volumeSizeGb ?? null,
      mnt_volume_size: server.mntVolumeSizeGb ?? null,
      iops: server.iops ?? null,
      volume_type: server.volumeType ?? null,
    })),
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
    deleted_at: isoOrNull(row.deletedAt),
  }),
});

/** The servers that a blueprint holds: only the endpoint that writes blueprints down writes them. */
export function serversIn({ servers }: Blueprint): BlueprintServer[] {
  return servers as unknown as BlueprintServer[];
}
