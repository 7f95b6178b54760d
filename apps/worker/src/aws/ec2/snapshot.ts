import { CreateSnapshotCommand, DeleteSnapshotCommand, DescribeSnapshotsCommand } from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import type { Aws } from "../clients.js";
import { unless } from "../failures.js";
import { together } from "../together.js";
import { idIn, idsIn, madeFor, tagged } from "./tags.js";

/** A copy of a volume, which AWS completes after it was made. */
export const snapshot: CloudKind<Aws, { volumeId: string; description: string }> = {
  kind: "snapshot",
  label: "snapshot",
  strategy: "tag",
  async find({ ec2 }, intent) {
    const { Snapshots } = await ec2.send(new DescribeSnapshotsCommand({ OwnerIds: ["self"], ...madeFor(intent) }));
    return idsIn(Snapshots?.map(({ SnapshotId }) => SnapshotId));
  },
  async create({ once }, intent) {
    const { volumeId, description } = intent.params;
    const { SnapshotId } = await once.ec2.send(
      new CreateSnapshotCommand({
        VolumeId: volumeId,
        Description: description,
        TagSpecifications: tagged("snapshot", intent),
      }),
    );
    return idIn(SnapshotId);
  },
  async remove({ ec2 }, id) {
    await unless(ec2.send(new DeleteSnapshotCommand({ SnapshotId: id })), /^InvalidSnapshot\.NotFound$/);
  },
};

export interface SnapshotState {
  /** AWS's word: pending, completed or error. */
  state: string;
  /** Percent. */
  progress: number;
}

/** How far a snapshot is, or undefined where AWS does not show it. Whoever asks at the same time shares the call. */
export const describeSnapshot = together(async ({ ec2 }: Aws, ids: string[]) => {
  const filter = { Name: "snapshot-id", Values: ids };
  const { Snapshots } = await ec2.send(new DescribeSnapshotsCommand({ OwnerIds: ["self"], Filters: [filter] }));
  return new Map(
    (Snapshots ?? []).map(({ SnapshotId = "", State: state = "", Progress = "" }): [string, SnapshotState] => [
      SnapshotId,
      { state, progress: Number.parseInt(Progress, 10) || 0 },
    ]),
  );
});
