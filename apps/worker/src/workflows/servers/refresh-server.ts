import { isDeepStrictEqual } from "node:util";
import type { Server } from "@gantry/db";
import { describeInstance, type InstanceState } from "../../aws/ec2/describe-instance.js";
import { describeVolume, type VolumeState } from "../../aws/ec2/volume.js";
import type { AwsStageContext } from "../aws-workflow.js";

/** True where the instance has ended, or is about to. */
export function isGone({ state }: InstanceState): boolean {
  return state === "shutting-down" || state === "terminated";
}

/** How the server's instance is, or undefined where it is gone from AWS or about to. */
export async function findInstance(
  { cloud }: Pick<AwsStageContext, "cloud">,
  { provisionedId, providerId, region }: Server,
): Promise<InstanceState | undefined> {
  if (!provisionedId) return undefined;
  const found = await cloud({ providerId, region }).call((aws) => describeInstance(aws, provisionedId));
  return found && !isGone(found) ? found : undefined;
}

/** The disks of an instance as AWS shows them, by their ids. */
export async function describeDisks(
  { cloud }: Pick<AwsStageContext, "cloud">,
  { providerId, region }: Server,
  { disks }: InstanceState,
): Promise<Map<string, VolumeState>> {
  const scope = cloud({ providerId, region });
  const seen = await Promise.all(
    disks.map(async ({ volumeId }) => [volumeId, await scope.call((aws) => describeVolume(aws, volumeId))] as const),
  );
  return new Map(seen.flatMap(([id, disk]) => (disk ? [[id, disk]] : [])));
}

/**
 * Writes what AWS says of the server's instance into its record, where that does not say so already: its devices too
 * where its disks are given.
 */
export async function writeServer(
  { db }: Pick<AwsStageContext, "db">,
  server: Server,
  found: InstanceState,
  disks?: Map<string, VolumeState>,
): Promise<void> {
  const devices =
    disks &&
    found.disks.map(({ device, volumeId, deleteOnTermination }) => {
      const disk = disks.get(volumeId);
      return {
        device,
        delete_on_termination: deleteOnTermination,
        ...(disk && { size: disk.sizeGb, volume_type: disk.volumeType }),
      };
    });
  const { state, privateHostname, publicHostname } = found;
  const seen = { state, privateHostname, publicHostname, ...(devices && { devices }), disappearedAt: null };
  const known = Object.fromEntries(Object.keys(seen).map((field) => [field, server[field as keyof typeof seen]]));
  if (!isDeepStrictEqual(known, seen)) await db.server.update({ where: { id: server.id }, data: seen });
}
