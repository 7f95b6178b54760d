import { defaultVolumeType, exceededVolumeLimit, MAX_VOLUME_GB, VOLUME_TYPES } from "@gantry/aws-facts";
import type { Provider, Server, Tx, Volume } from "@gantry/db";
import { field } from "@gantry/resources";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { conflict, invalid } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { machineName } from "../../http/input/names.js";
import { ownTags } from "../../http/lists/tags.js";
import { resolveEncryption } from "../accounts/account.encryption.js";
import { findZone, requireUsable } from "../providers/provider.rules.js";
import { requireProvisioned } from "../provisioned.js";
import { requireSnapshot } from "../servers/server.references.js";
import { findAttachableServer, findPendingAttachments } from "../servers/server.rules.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";

const EXCLUSIVE_TYPES = ["attach_volume", "detach_volume"] as const;

/** The parameters of a new volume. Without a type it becomes gp3, or io1 for IOPS that gp3 does not have. */
export const volumeInput = strict({
  location: field(z.string(), "us-east-1", "Zone id"),
  size: field(z.int().min(1).max(MAX_VOLUME_GB).optional(), 25, "GB; the size of the snapshot if omitted"),
  volume_type: z.enum(VOLUME_TYPES).optional(),
  iops: field(z.int().min(0).default(0), 3000, "More than 0 only for gp3, io1 and io2"),
  throughput: field(z.int().optional(), 125, "MiB/s, only for gp3"),
  name: machineName.optional(),
  encrypted: z.boolean().optional().describe("True by default"),
  tags: ownTags,
});

/** The type, the IOPS and the throughput of a new volume as its columns. @throws 422 if AWS cannot create it */
export function volumeColumns(input: z.output<typeof volumeInput>, sizeGb: number) {
  const { volume_type: type = defaultVolumeType(input.iops || null), throughput } = input;
  const iops = input.iops || undefined;
  const exceeded = exceededVolumeLimit({ sizeGb, type, iops, throughput });
  if (exceeded) throw invalid(`volume.${exceeded.field === "type" ? "volume_type" : exceeded.field}`, exceeded.message);
  return { volumeType: type, iops: iops ?? null, throughput: throughput ?? null };
}

/**
 * Requires that the provider can have a volume in the zone now.
 *
 * @param wanted its zone, the snapshot that it restores, and whether it is to be encrypted
 * @returns its region, its snapshot, and whether it is encrypted
 * @throws 409 if the provider or the snapshot cannot be used now, 404 or 422 if the zone or snapshot does not exist or
 * the account requires encryption
 */
export async function requireAllowedVolume(
  db: Tx,
  provider: Provider,
  wanted: { location: string; snapshotId: number | undefined; encrypted: boolean | undefined },
) {
  requireUsable(provider);
  const { id: providerId, accountId } = provider;
  const { region } = await findZone(db, { providerId, zone: wanted.location }, "volume.location");
  const snapshot = wanted.snapshotId
    ? await requireSnapshot(db, { accountId, providerId, region }, wanted.snapshotId)
    : undefined;
  const encryption = { path: "volume.encrypted", requested: wanted.encrypted };
  return { region, snapshot, encrypted: await resolveEncryption(db, accountId, encryption) };
}

/**
 * A volume and a server of its zone to which it can be attached, both locked until the transaction ends.
 *
 * @throws 404, 409 or 422 if the volume cannot be attached to the server now
 */
export async function findAttachment(
  caller: Caller,
  db: Tx,
  volumeId: string | number,
  serverId: number,
): Promise<{ volume: Volume; serverId: number; device: string }> {
  const server = await findAttachableServer(caller, db, serverId);
  const volume = await caller.find("volume", volumeId, "update");
  requireProvisioned("volume", volume);
  await requireDetached(db, volume);
  const isSameZone = (["accountId", "providerId", "location"] as const).every((key) => volume[key] === server[key]);
  if (!isSameZone) throw invalid("server", `server ${server.id} is not in the volume's zone, ${volume.location}`);
  return { volume, serverId: server.id, device: await findFreeDevice(db, server) };
}

/**
 * A volume that can be detached from its server, locked until the transaction ends.
 *
 * @throws 409 if it is not attached, is a root disk, or a Request attaches or detaches it or needs it at its server
 */
export async function findDetachableVolume(caller: Caller, db: Tx, volumeId: string | number): Promise<Volume> {
  const row = await caller.find("volume", volumeId, "update");
  const { id, serverId } = row;
  if (row.deletedAt || serverId === null) throw conflict(`volume ${id} is not attached to a server`);
  if (row.mount === "/")
    throw conflict(`volume ${id} is the root disk of server ${serverId}`, { blocking: [`servers/${serverId}`] });
  await assertNoUnfinishedRequest(EXCLUSIVE_TYPES, db, "volume", id);
  await assertNoUnfinishedRequest(["provision_server", "snapshot_server"], db, "server", serverId);
  return row;
}

/**
 * Call it with the volume's row locked.
 *
 * @throws 409 if the volume is attached, or a Request attaches or detaches it
 */
export async function requireDetached(db: Tx, { id, serverId }: Volume): Promise<void> {
  if (serverId !== null)
    throw conflict(`volume ${id} is attached to server ${serverId}`, { blocking: [`servers/${serverId}`] });
  await assertNoUnfinishedRequest(EXCLUSIVE_TYPES, db, "volume", id);
}

/** The device names of further volumes: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/device_naming.html */
const DEVICES = [..."fghijklmnop"].map((letter) => `/dev/xvd${letter}`);

/**
 * The first device name of the server that no volume has and no unfinished Request reserves. Call it with the server's
 * row locked.
 *
 * @throws 409 if the server has used all device names
 */
async function findFreeDevice(db: Tx, server: Server): Promise<string> {
  const [volumes, pending] = await Promise.all([
    db.volume.findMany({ where: { serverId: server.id, deletedAt: null }, select: { device: true } }),
    findPendingAttachments(db, "attach_volume", server),
  ]);
  const taken = new Set([...volumes, ...pending.map(({ input }) => input)].map(({ device }) => device));
  const free = DEVICES.find((device) => !taken.has(device));
  if (!free)
    throw conflict(`server ${server.id} already has ${DEVICES.length} volumes, the maximum`, {
      about: { model: "server", id: server.id },
    });
  return free;
}
