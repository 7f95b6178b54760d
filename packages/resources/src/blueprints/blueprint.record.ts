import type { Blueprint } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { deletableTimestamps } from "../declarations/timestamps.js";
import { APPLICATION_ROLES } from "../servers/server.roles.js";
import type { ServerSpec } from "../servers/server.spec.js";

/** A server in a blueprint: all that is needed to boot an equal one. */
export type BlueprintServer = Pick<ServerSpec, "role"> & { flavor: string } & Partial<Omit<ServerSpec, "path">>;

const server = z.object({
  role: field(z.string(), "util"),
  flavor: field(z.string(), "t3.medium"),
  name: field(z.string().nullable(), "shop"),
  dedicated: z.boolean(),
  volume_size: field(z.int().nullable(), 25),
  mnt_volume_size: field(z.int().nullable(), 25),
  iops: field(z.int().nullable(), 3000),
  volume_type: field(z.string().nullable(), "gp3"),
});

export const blueprint = wireRecord({
  name: "blueprint",
  plural: "blueprints",
  deleted: "deletedAt",
  record: z
    .object({
      id: uuid,
      name: field(z.string(), "shop"),
      account: linkTo("accounts"),
      environment: linkTo("environments"),
      servers: z.array(server),
      ...deletableTimestamps,
    })
    .meta({ id: "Blueprint" }),
  computed: (row: Blueprint) => ({
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
  }),
});

/** The servers of a blueprint: only the endpoint that creates blueprints writes the column. */
export function blueprintServers({ servers }: Blueprint): BlueprintServer[] {
  return servers as unknown as BlueprintServer[];
}

/** The server of a blueprint that the instances of a scaling group are like: the last application server; undefined if it has none. */
export function applicationServerOf(blueprint: Blueprint): BlueprintServer | undefined {
  const servers = blueprintServers(blueprint);
  return APPLICATION_ROLES.map((role) => servers.find((server) => server.role === role)).findLast(Boolean);
}
