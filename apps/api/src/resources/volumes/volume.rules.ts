import type { Server, Tx } from "@gantry/db";
import { VOLUME_LIMITS } from "@gantry/requests";
import { z } from "zod";
import { conflict } from "../../http/errors.js";
import { findPendingAttachments } from "../servers/server.rules.js";

const { minIops, maxIops, maxIopsPerGb, maxSizeGb } = VOLUME_LIMITS;

/** The sizes in GB that AWS accepts for a type, where they differ from 1 to the maximum. */
const SIZES: Record<string, { min: number; max: number }> = {
  io1: { min: 4, max: maxSizeGb },
  st1: { min: 125, max: maxSizeGb },
  sc1: { min: 125, max: maxSizeGb },
  standard: { min: 1, max: 1024 },
};

/** The parameters of a new volume. Without a type it becomes io1 where it has IOPS, gp2 otherwise. */
export const volumeInput = z
  .strictObject({
    location: z.string().describe("Zone id"),
    size: z.int().min(1).max(maxSizeGb).optional().describe("GB; the size of the snapshot where absent"),
    volume_type: z.enum(["gp2", "gp3", "io1", "st1", "sc1", "standard"]).optional(),
    iops: z.int().min(0).max(maxIops, `the maximum is ${maxIops}`).default(0).describe("More than 0 only for io1"),
    name: z
      .string()
      .regex(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits and _.-")
      .optional(),
    encrypted: z.boolean().default(false),
  })
  .transform(({ volume_type, ...rest }) => ({ ...rest, type: volume_type ?? (rest.iops > 0 ? "io1" : "gp2") }))
  .superRefine(({ size, type, iops }, context) => {
    const addIssue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (type !== "io1" && iops > 0) addIssue("iops", `cannot be chosen for a volume of type ${type}`);
    if (type === "io1" && iops < minIops) addIssue("iops", `must be at least ${minIops} for a volume of type io1`);
    if (size === undefined) return;
    const { min, max } = SIZES[type] ?? { min: 1, max: maxSizeGb };
    if (size < min || size > max) addIssue("size", `must be from ${min} to ${max} GB for a volume of type ${type}`);
    if (iops > size * maxIopsPerGb) addIssue("iops", `at most ${maxIopsPerGb} for each GB of size`);
  });

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
  if (!free) throw conflict(`the server ${server.id} has no room for another volume: it has ${DEVICES.length}`);
  return free;
}
