import type { Volume } from "@gantry/db";
import { type VolumeState, volume } from "../../aws/ec2/volume.js";
import { permanent, poll } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

/** The columns of a volume without a server. */
export const DETACHED = { serverId: null, device: null, mount: null, fileSystemGb: null, state: "available" } as const;

/** Creates a record's volume in AWS, owned by the record, for an environment if one is named. May be repeated. */
export function ensureVolume(
  { cloud }: Pick<AwsStageContext, "cloud">,
  row: Volume,
  environmentId?: number,
): Promise<string> {
  const { id, providerId, region, location: zone, sizeGb, volumeType, iops, throughput, encrypted, fromSnapshot } = row;
  const owner = { type: "volume", id: String(id) };
  return cloud({ providerId, region, owner, environmentId: environmentId ?? null }).ensure(volume, {
    zone,
    sizeGb,
    volumeType,
    encrypted,
    ...(iops !== null && { iops }),
    ...(throughput !== null && { throughput }),
    ...(fromSnapshot !== null && { snapshotId: fromSnapshot }),
  });
}

/**
 * Asserts that AWS shows a volume attached to an instance.
 *
 * @throws NotYet until then; PermanentFailure if another instance holds it
 */
export function requireAttached(volume: VolumeState | undefined, instanceId: string): void {
  const { attachment } = volume ?? {};
  if (attachment?.state !== "attached") throw poll("AWS to attach the volume");
  if (attachment.instanceId !== instanceId)
    throw permanent(`The volume is attached to instance ${attachment.instanceId}`);
}
