import {
  CreateSnapshotCommand,
  DeleteSnapshotCommand,
  DescribeImagesCommand,
  DescribeSnapshotsCommand,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";
import { definedIds, requireId, tagSpecification, tokenFilter } from "./tags.js";

/** A snapshot of a volume. AWS completes the copy some time after the create. */
export const snapshot: CloudKind<Aws, { volumeId: string; description: string }> = {
  kind: "snapshot",
  label: "snapshot",
  strategy: "tag",
  async find({ ec2 }, intent) {
    const { Snapshots } = await ec2.send(new DescribeSnapshotsCommand({ OwnerIds: ["self"], ...tokenFilter(intent) }));
    return definedIds(Snapshots?.map(({ SnapshotId }) => SnapshotId));
  },
  async create({ noRetry }, intent) {
    const { volumeId, description } = intent.params;
    const { SnapshotId } = await noRetry.ec2.send(
      new CreateSnapshotCommand({
        VolumeId: volumeId,
        Description: description,
        TagSpecifications: tagSpecification("snapshot", intent),
      }),
    );
    return requireId(SnapshotId);
  },
  async obstacles({ ec2 }, id) {
    const Filters = [{ Name: "block-device-mapping.snapshot-id", Values: [id] }];
    const { Images } = await ec2.send(new DescribeImagesCommand({ Owners: ["self"], Filters }));
    return definedIds(Images?.map(({ ImageId }) => ImageId)).map((imageId) => ({
      fact: `is used by image ${imageId}`,
      ids: [imageId],
    }));
  },
  async remove({ ec2 }, id) {
    await ignoring(ec2.send(new DeleteSnapshotCommand({ SnapshotId: id })), /^InvalidSnapshot\.NotFound$/);
  },
};

export interface SnapshotState {
  /** `pending`, `completed` or `error`. */
  state: string;
  /** In percent. */
  progress: number;
}

/** The progress of a snapshot, or undefined if AWS does not show it. Concurrent calls share one call to AWS. */
export const describeSnapshot = batchDescribe(async ({ ec2 }: Aws, ids: string[]) => {
  const filter = { Name: "snapshot-id", Values: ids };
  const { Snapshots } = await ec2.send(new DescribeSnapshotsCommand({ OwnerIds: ["self"], Filters: [filter] }));
  return new Map(
    (Snapshots ?? []).map(({ SnapshotId = "", State: state = "", Progress = "" }): [string, SnapshotState] => [
      SnapshotId,
      { state, progress: Number.parseInt(Progress, 10) || 0 },
    ]),
  );
});
