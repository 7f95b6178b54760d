import { exceededVolumeLimit, MAX_VOLUME_GB, VOLUME_TYPES, type VolumeType } from "@gantry/aws-facts";
import type { Tx, Volume } from "@gantry/db";
import { field, type InputOf, plannedChanges, volumeChanges } from "@gantry/resources";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { invalid } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import type { PlannedResource } from "../../http/plans/planned-resource.js";
import type { Accepting } from "../../http/plans/requested.js";
import { requireChangesLeft } from "../changes-in-a-day.js";
import { requireProvisioned } from "../provisioned.js";
import { plannedVolume } from "../servers/server.plan.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";

/** What a volume can be given in place. */
export const volumeChangesInput = strict({
  size: field(z.int().min(1).max(MAX_VOLUME_GB).optional(), 50, "GB; AWS never shrinks a volume"),
  volume_type: z.enum(VOLUME_TYPES).optional(),
  iops: field(z.int().min(1).optional(), 4000, "Only for gp3, io1 and io2; AWS's default of a new type if omitted"),
  throughput: field(z.int().min(1).optional(), 250, "MiB/s, only for gp3"),
});

/**
 * A volume, locked until the transaction ends, and the settings that it gets.
 *
 * @throws 409 if it cannot be changed now, 422 if AWS could not make the change or nothing would change
 */
async function findModification(
  caller: Caller,
  db: Tx,
  volumeId: string | number,
  given: z.output<typeof volumeChangesInput>,
): Promise<{ volume: Volume; settings: InputOf<"modify_volume"> }> {
  const volume = await caller.find("volume", volumeId, "update");
  requireProvisioned("volume", volume);
  await assertNoUnfinishedRequest(["modify_volume"], db, "volume", volume.id);
  const settings = changedSettings(volume, given);
  if (Object.keys(settings).length === 0)
    throw invalid("volume", `names no change: ${Object.keys(volumeChanges).join(", ")} are as they would be`);
  await requireChangesLeft(db, { request: "modify_volume", type: "volume", id: volume.id, what: "a volume" });
  return { volume, settings };
}

/** What changes. @throws 422 if AWS does not change the volume so */
export function changedSettings(
  volume: Volume,
  { size = volume.sizeGb, volume_type: type = volume.volumeType as VolumeType, ...speed }: VolumeChanges,
): InputOf<"modify_volume"> {
  const isSameType = type === volume.volumeType;
  const { iops = isSameType ? volume.iops : null, throughput = isSameType ? volume.throughput : null } = speed;
  if (size < volume.sizeGb)
    throw invalid("volume.size", `must be at least the ${volume.sizeGb} GB that it has; AWS never shrinks a volume`);
  const exceeded = exceededVolumeLimit({
    sizeGb: size,
    type,
    iops: iops ?? undefined,
    throughput: throughput ?? undefined,
  });
  if (exceeded) throw invalid(`volume.${exceeded.field === "type" ? "volume_type" : exceeded.field}`, exceeded.message);
  const wanted = { sizeGb: size, volumeType: type, iops, throughput };
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => volume[name as keyof Volume] !== value));
}

type VolumeChanges = z.output<typeof volumeChangesInput>;

/** Accepts a change of a volume. @throws as `findModification` */
export async function modifyVolume(
  { caller, db, createRequest }: Accepting,
  id: string | number,
  given: VolumeChanges,
) {
  const { volume, settings } = await findModification(caller, db, id, given);
  const { region, location: zone } = volume;
  const planned = (row: Parameters<typeof plannedVolume>[0]): PlannedResource => {
    return { kind: "volume", count: 1, region, zone, volumes: [plannedVolume(row)] };
  };
  return createRequest("modify_volume", {
    accountId: volume.accountId,
    resource: { type: "volume", id: volume.id },
    input: settings,
    changes: () => ({
      changes: plannedChanges(volumeChanges, volume, settings),
      before: planned(volume),
      after: planned({ ...volume, ...settings }),
    }),
  });
}
