import type { Volume } from "@gantry/db";
import { type VolumeState, volume } from "../../aws/ec2/volume.js";
import { permanent, poll } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

/** Makes the disk of a record in AWS, for the record itself, and gives its id. May be repeated. */
export function ensureVolume({ cloud }: Pick<AwsStageContext, "cloud">, row: Volume): Promise<string> {
  const { id, providerId, region, location: zone, sizeGb, volumeType, iops, encrypted, fromSnapshot } = row;
  return cloud({ providerId, region, owner: { type: "volume", id: String(id) } }).ensure(volume, {
    zone,
    sizeGb,
    volumeType,
    encrypted,
    ...(iops !== null && { iops }),
    ...(fromSnapshot !== null && { snapshotId: fromSnapshot }),
  });
}

/**
 * Passes once an instance has taken a disk, as AWS shows it.
 *
 * @throws NotYet until then; Permanent where another instance holds it
 */
export function requireAttached(volume: VolumeState | undefined, instanceId: string): void {
  const { attachment } = volume ?? {};
  if (attachment?.state !== "attached") throw poll("AWS to attach the volume");
  if (attachment.instanceId !== instanceId) throw permanent(`Instance ${attachment.instanceId} holds the volume`);
}
