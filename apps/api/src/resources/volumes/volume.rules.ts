import type { Server, Tx } from "@gantry/db";
import { defaultVolumeType, exceededVolumeLimit, MAX_VOLUME_GB, VOLUME_TYPES } from "@gantry/requests";
import { z } from "zod";
import { conflict, invalid } from "../../http/errors.js";
import { strict } from "../../http/input.js";
import { machineName } from "../../http/names.js";
import { ownTags } from "../../http/tags.js";
import { findPendingAttachments } from "../servers/server.rules.js";

/** The parameters of a new volume. Without a type it becomes gp3, or io1 for IOPS that gp3 does not have. */
export const volumeInput = strict({
  location: z.string().describe("Zone id"),
  size: z.int().min(1).max(MAX_VOLUME_GB).optional().describe("GB; the size of the snapshot where absent"),
  volume_type: z.enum(VOLUME_TYPES).optional(),
  iops: z.int().min(0).default(0).describe("More than 0 only for gp3, io1 and io2"),
  throughput: z.int().optional().describe("MiB/s, only for gp3"),
  name: machineName.optional(),
  encrypted: z.boolean().optional().describe("True where absent"),
  tags: ownTags,
});

/** The type, the IOPS and the throughput of a new volume as its columns. @throws 422 where AWS cannot create it */
export function volumeColumns(input: z.output<typeof volumeInput>, sizeGb: number) {
  const { volume_type: type = defaultVolumeType(input.iops || null), throughput } = input;
  const iops = input.iops || undefined;
  const exceeded = exceededVolumeLimit({ sizeGb, type, iops, throughput });
  if (exceeded) throw invalid(`volume.${exceeded.field === "type" ? "volume_type" : exceeded.field}`, exceeded.message);
  return { volumeType: type, iops: iops ?? null, throughput: throughput ?? null };
}

/** The device names of further volumes: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/device_naming.html */
const DEVICES = [..."fghijklmnop"].map((letter) => `/dev/xvd${letter}`);

/**
 * The first device name of the server that no volume has and no open Request reserves. Call it with the server's row
 * locked.
 *
 * @throws 409 where the server has used all device names
 */
export async function findFreeDevice(db: Tx, server: Server): Promise<string> {
  const [volumes, pending] = await Promise.all([
    db.volume.findMany({ where: { serverId: server.id, deletedAt: null }, select: { device: true } }),
    findPendingAttachments(db, "attach_volume", server),
  ]);
  const taken = new Set([...volumes, ...pending.map(({ input }) => input)].map(({ device }) => device));
  const free = DEVICES.find((device) => !taken.has(device));
  if (!free)
    throw conflict(`the server ${server.id} has no room for another volume: it has ${DEVICES.length}`, {
      about: { model: "server", id: server.id },
    });
  return free;
}
