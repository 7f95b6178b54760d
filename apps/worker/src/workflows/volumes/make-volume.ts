import type { Volume } from "@gantry/db";
import { attachVolume, describeVolume, volume } from "../../aws/ec2/volume.js";
import { poll } from "../../engine/signals.js";
import type { AwsStageContext } from "../aws-workflow.js";

/** Makes the disk of a record in AWS, for the record itself, and gives its id. May be repeated. */
export function makeVolume({ cloud }: Pick<AwsStageContext, "cloud">, row: Volume): Promise<string> {
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
 * Has an instance take a disk of the same zone, and passes once it has.
 *
 * @throws NotYet until then
 */
export async function attachTo(
  { cloud }: Pick<AwsStageContext, "cloud">,
  { providerId, region }: Volume,
  to: { volumeId: string; instanceId: string; device: string },
): Promise<void> {
  const aws = cloud({ providerId, region });
  await aws.call(attachVolume(to));
  const { attachment } = (await aws.call((ec2) => describeVolume(ec2, to.volumeId))) ?? {};
  const isAttached = attachment?.instanceId === to.instanceId && attachment.state === "attached";
  if (!isAttached) throw poll("AWS to attach the volume");
}
