import type { Server, Tx } from "@gantry/db";
import { z } from "zod";
import { conflict } from "../../http/errors.js";
import { attachmentsTo } from "../servers/server.rules.js";

/** AWS's limits for one volume of a kind that takes IOPS. */
const MOST_IOPS = 4000;
const LEAST_IOPS = 100;
const MOST_IOPS_PER_GB = 50;
const MOST_GB = 16_384;

/** The sizes that AWS takes, in GB, where they are not all from 1 on. */
const SIZES: Record<string, { least: number; most: number }> = {
  io1: { least: 4, most: MOST_GB },
  st1: { least: 125, most: MOST_GB },
  sc1: { least: 125, most: MOST_GB },
  standard: { least: 1, most: 1024 },
};

/** What may be said of a new volume. One without a type is of type io1 where it has IOPS, and else gp2. */
export const wantedVolume = z
  .strictObject({
    location: z.string().describe("Zone id"),
    size: z.int().min(1).max(MOST_GB).optional().describe("GB; the size of its snapshot where absent"),
    volume_type: z.enum(["gp2", "gp3", "io1", "st1", "sc1", "standard"]).optional(),
    iops: z.int().min(0).max(MOST_IOPS, `the maximum is ${MOST_IOPS}`).default(0).describe("More than 0 only for io1"),
    name: z
      .string()
      .regex(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits and _.-")
      .optional(),
    encrypted: z.boolean().default(false),
  })
  .transform(({ volume_type, ...given }) => ({ ...given, type: volume_type ?? (given.iops > 0 ? "io1" : "gp2") }))
  .superRefine(({ size, type, iops }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (type !== "io1" && iops > 0) refuse("iops", `cannot be chosen for a volume of type ${type}`);
    if (type === "io1" && iops < LEAST_IOPS) refuse("iops", `must be at least ${LEAST_IOPS} for a volume of type io1`);
    if (size === undefined) return;
    const { least, most } = SIZES[type] ?? { least: 1, most: MOST_GB };
    if (size < least || size > most) refuse("size", `must be from ${least} to ${most} GB for a volume of type ${type}`);
    if (iops > size * MOST_IOPS_PER_GB) refuse("iops", `at most ${MOST_IOPS_PER_GB} for each GB of size`);
  });

/** The names that servers know further disks by: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/device_naming.html */
const DEVICES = [..."fghijklmnop"].map((letter) => `/dev/xvd${letter}`);

/**
 * The first device name that the server has not given to a volume and does not hold ready for one. Called with the
 * server's row locked.
 *
 * @throws 409 where there is none left
 */
export async function freeDevice(db: Tx, server: Server): Promise<string> {
  const [volumes, awaited] = await Promise.all([
    db.volume.findMany({ where: { serverId: server.id, deletedAt: null }, select: { device: true } }),
    attachmentsTo(db, "attach_volume", server),
  ]);
  const taken = new Set([...volumes, ...awaited.map(({ input }) => input)].map(({ device }) => device));
  const free = DEVICES.find((device) => !taken.has(device));
  if (!free) throw conflict(`the server ${server.id} has no room for another volume: it has ${DEVICES.length}`);
  return free;
}
