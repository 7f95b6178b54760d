import {
  AttachVolumeCommand,
  CreateVolumeCommand,
  DeleteVolumeCommand,
  DescribeVolumesCommand,
  DescribeVolumesModificationsCommand,
  DetachVolumeCommand,
  ModifyVolumeCommand,
  type Volume,
  type VolumeType,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { found, ignoring } from "../aws-errors.js";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";
import { definedIds, requireId, tagSpecification, tokenFilter } from "./tags.js";

export interface VolumeParams {
  /** The name of its availability zone, such as us-east-1a. */
  zone: string;
  sizeGb: number;
  volumeType: string;
  /** Only for volume types with provisioned IOPS, such as gp3 and io1. */
  iops?: number;
  /** MiB/s, only for gp3. */
  throughput?: number;
  encrypted: boolean;
  /** The snapshot from which the volume is created; it is not larger than the volume. */
  snapshotId?: string;
}

/** A volume, attached to no instance. */
export const volume: CloudKind<Aws, VolumeParams> = {
  kind: "volume",
  label: "volume",
  strategy: "token",
  async find({ ec2 }, intent) {
    const { Volumes } = await ec2.send(new DescribeVolumesCommand(tokenFilter(intent)));
    return definedIds(Volumes?.map(({ VolumeId }) => VolumeId));
  },
  async create({ ec2 }, intent) {
    const { zone, sizeGb, volumeType, iops, throughput, encrypted, snapshotId } = intent.params;
    const { VolumeId } = await ec2.send(
      new CreateVolumeCommand({
        AvailabilityZone: zone,
        Size: sizeGb,
        VolumeType: volumeType as VolumeType,
        // AWS refuses `false` if the account demands encryption.
        ...(encrypted && { Encrypted: true }),
        ...(iops !== undefined && { Iops: iops }),
        ...(throughput !== undefined && { Throughput: throughput }),
        ...(snapshotId !== undefined && { SnapshotId: snapshotId }),
        ClientToken: intent.token,
        TagSpecifications: tagSpecification("volume", intent),
      }),
    );
    return requireId(VolumeId);
  },
  async obstacles(aws, id) {
    const { attachment } = (await describeVolume(id)(aws)) ?? {};
    if (!attachment || attachment.state === "detaching") return [];
    const { instanceId } = attachment;
    return [{ fact: `is attached to instance ${instanceId}`, ids: [instanceId] }];
  },
  async remove({ ec2 }, id) {
    await ignoring(ec2.send(new DeleteVolumeCommand({ VolumeId: id })), /^InvalidVolume\.NotFound$/);
  },
  async describeStates(aws, ids) {
    return new Map([...(await describeVolumes(aws, ids))].map(([id, { state }]) => [id, state]));
  },
};

export interface VolumeState {
  /** `creating`, `available`, `in-use`, `deleting`, `deleted` or `error`. */
  state: string;
  sizeGb: number;
  volumeType: string;
  iops: number | null;
  /** MiB/s; null for types that have none. */
  throughput: number | null;
  encrypted: boolean;
  /** The attachment to an instance, in the state `attaching`, `attached`, `detaching` or `busy`. */
  attachment?: { instanceId: string; device: string; state: string };
}

async function describeVolumes({ ec2 }: Aws, ids: string[]): Promise<Map<string, VolumeState>> {
  // A filter, not a list of ids: AWS refuses a list with one unknown id as a whole.
  const { Volumes } = await ec2.send(new DescribeVolumesCommand({ Filters: [{ Name: "volume-id", Values: ids }] }));
  return new Map((Volumes ?? []).map((found) => [found.VolumeId ?? "", stateOf(found)]));
}

/** The state of a volume, or undefined if AWS does not show it. Concurrent calls share one call to AWS. */
export const describeVolume = batchDescribe(describeVolumes);

function stateOf(found: Volume): VolumeState {
  const {
    State = "",
    Size = 0,
    VolumeType = "",
    Iops = null,
    Throughput = null,
    Encrypted = false,
    Attachments = [],
  } = found;
  const attached = Attachments.find((attachment) => attachment.State !== "detached");
  const { InstanceId: instanceId = "", Device: device = "", State: state = "" } = attached ?? {};
  return {
    state: State,
    sizeGb: Size,
    volumeType: VolumeType,
    iops: Iops,
    throughput: Throughput,
    encrypted: Encrypted,
    ...(attached && { attachment: { instanceId, device, state } }),
  };
}

/** Attaches the volume to an instance of its zone; `describeVolume` shows when it is attached. May be repeated. */
export function attachVolume(to: { volumeId: string; instanceId: string; device: string }) {
  const { volumeId, instanceId, device } = to;
  const attach = new AttachVolumeCommand({ VolumeId: volumeId, InstanceId: instanceId, Device: device });
  return ({ ec2 }: Aws): Promise<void> => ignoring(ec2.send(attach), /^VolumeInUse$/);
}

/**
 * Detaches the volume from an instance, and from no other one that has it by now; `describeVolume` shows when it is
 * detached. May be repeated.
 */
export function detachVolume({ volumeId, instanceId }: { volumeId: string; instanceId: string }) {
  return async (aws: Aws): Promise<void> => {
    const { attachment } = (await describeVolume(volumeId)(aws)) ?? {};
    if (attachment?.instanceId !== instanceId || attachment.state === "detaching") return;
    const detach = new DetachVolumeCommand({ VolumeId: volumeId, InstanceId: instanceId });
    await ignoring(aws.ec2.send(detach), /^(IncorrectState|InvalidAttachment\.NotFound|InvalidVolume\.NotFound)$/);
  };
}

/** The size, the type and the speed of a volume; null for AWS's default. */
export interface VolumeSettings {
  sizeGb: number;
  volumeType: string;
  iops: number | null;
  throughput: number | null;
}

/** True if a volume has the wanted settings. What must be AWS's default may be anything. */
export function hasSettings(volume: VolumeSettings, wanted: Partial<VolumeSettings>): boolean {
  const names = Object.keys(wanted) as (keyof VolumeSettings)[];
  return names.every((name) => [volume[name], undefined, null].includes(wanted[name]));
}

/** The values that a volume has for the wanted settings. */
export function settingsOf(volume: VolumeSettings, wanted: Partial<VolumeSettings>): Partial<VolumeSettings> {
  const { sizeGb, volumeType, iops, throughput } = volume;
  const all = Object.entries({ sizeGb, volumeType, iops, throughput });
  return Object.fromEntries(all.filter(([name]) => name in wanted));
}

/** A change of a volume's settings in AWS. */
export interface VolumeModification {
  /** `modifying`, `optimizing`, `completed` or `failed`. From `optimizing` on the volume has the new settings. */
  state: string;
  target: VolumeSettings;
  message: string | undefined;
}

/** The latest modification of a volume, or undefined if AWS keeps none. */
export function latestModification(volumeId: string) {
  return async ({ ec2 }: Aws): Promise<VolumeModification | undefined> => {
    // A filter, not a list of ids: AWS refuses the id of a volume that was never modified.
    const filter = { Filters: [{ Name: "volume-id", Values: [volumeId] }] };
    const { VolumesModifications = [] } = await ec2.send(new DescribeVolumesModificationsCommand(filter));
    const timeOf = ({ StartTime }: { StartTime?: Date | undefined }) => StartTime?.getTime() ?? 0;
    const latest = VolumesModifications.toSorted((one, other) => timeOf(other) - timeOf(one))[0];
    return (
      latest && {
        state: latest.ModificationState ?? "",
        target: {
          sizeGb: latest.TargetSize ?? 0,
          volumeType: latest.TargetVolumeType ?? "",
          iops: latest.TargetIops ?? null,
          throughput: latest.TargetThroughput ?? null,
        },
        message: latest.StatusMessage,
      }
    );
  };
}

/**
 * Starts a modification; `latestModification` shows how far it is. AWS keeps what is not named.
 *
 * @returns false if AWS accepts none now, since another one is under way
 */
export function modifyVolume(volumeId: string, { sizeGb, volumeType, iops, throughput }: Partial<VolumeSettings>) {
  const modify = new ModifyVolumeCommand({
    VolumeId: volumeId,
    ...(sizeGb !== undefined && { Size: sizeGb }),
    ...(volumeType !== undefined && { VolumeType: volumeType as VolumeType }),
    ...(typeof iops === "number" && { Iops: iops }),
    ...(typeof throughput === "number" && { Throughput: throughput }),
  });
  return async ({ ec2 }: Aws): Promise<boolean> =>
    (await found(ec2.send(modify), /^IncorrectModificationState$/)) !== undefined;
}
