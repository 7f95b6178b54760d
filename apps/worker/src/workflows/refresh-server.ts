import { isDeepStrictEqual } from "node:util";
import type { Server } from "@gantry/db";
import { describeInstance, type InstanceState, isTerminated } from "../aws/ec2/describe-instance.js";
import { describeVolume, type VolumeState } from "../aws/ec2/volume.js";
import type { AwsStageContext } from "./aws-workflow.js";

/** The state of the server's instance, or undefined if it is terminated or does not exist. */
export async function findInstance(
  { cloud }: Pick<AwsStageContext, "cloud">,
  { provisionedId, providerId, region }: Server,
): Promise<InstanceState | undefined> {
  if (!provisionedId) return undefined;
  const instance = await cloud({ providerId, region }).call(describeInstance(provisionedId));
  return instance && !isTerminated(instance) ? instance : undefined;
}

/** The states of an instance's volumes, by their ids. */
export async function describeVolumes(
  { cloud }: Pick<AwsStageContext, "cloud">,
  { providerId, region }: Server,
  { blockDevices }: InstanceState,
): Promise<Map<string, VolumeState>> {
  const scope = cloud({ providerId, region });
  const observed = await Promise.all(
    blockDevices.map(async ({ volumeId }) => [volumeId, await scope.call(describeVolume(volumeId))] as const),
  );
  return new Map(observed.flatMap(([id, volumeState]) => (volumeState ? [[id, volumeState]] : [])));
}

/**
 * Updates the server's record to what AWS shows of its instance, if they differ. Updates the devices only with
 * `volumeStates`.
 */
export async function recordInstance(
  { db }: Pick<AwsStageContext, "db">,
  server: Server,
  found: InstanceState,
  volumeStates?: Map<string, VolumeState>,
): Promise<void> {
  const devices =
    volumeStates &&
    found.blockDevices.map(({ device, volumeId, deleteOnTermination }) => {
      const volumeState = volumeStates.get(volumeId);
      return {
        device,
        delete_on_termination: deleteOnTermination,
        ...(volumeState && { size: volumeState.sizeGb, volume_type: volumeState.volumeType }),
      };
    });
  const { state, privateHostname, publicHostname } = found;
  const observed = { state, privateHostname, publicHostname, ...(devices && { devices }), disappearedAt: null };
  const recorded = Object.fromEntries(
    Object.keys(observed).map((field) => [field, server[field as keyof typeof observed]]),
  );
  if (!isDeepStrictEqual(recorded, observed)) await db.server.update({ where: { id: server.id }, data: observed });
}
