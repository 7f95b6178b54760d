import {
  type ArchitectureValues,
  DeregisterImageCommand,
  DescribeImagesCommand,
  RegisterImageCommand,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { codeOf, ignoring } from "../aws-errors.js";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";
import { createdOrFound, definedIds, requireId, tagSpecification, tokenFilter } from "./tags.js";

export interface ImageParams {
  /** The complete snapshot of a root disk. AWS keeps it while the image exists. */
  snapshotId: string;
  /** The device of the root disk, such as /dev/xvda. */
  rootDevice: string;
  /** `x86_64` or `arm64`. */
  architecture: string;
}

/** An image that starts servers from the snapshot of a root disk. Its removal keeps the snapshot. */
export const image: CloudKind<Aws, ImageParams> = {
  kind: "image",
  label: "image",
  strategy: "name",
  async find({ ec2 }, intent) {
    const { Images } = await ec2.send(new DescribeImagesCommand({ Owners: ["self"], ...tokenFilter(intent) }));
    return definedIds(Images?.map(({ ImageId }) => ImageId));
  },
  create(aws, intent) {
    const { snapshotId, rootDevice, architecture } = intent.params;
    const register = new RegisterImageCommand({
      Name: `gantry-${intent.token}`,
      Architecture: architecture as ArchitectureValues,
      RootDeviceName: rootDevice,
      BlockDeviceMappings: [{ DeviceName: rootDevice, Ebs: { SnapshotId: snapshotId, DeleteOnTermination: true } }],
      // Without these, AWS registers a paravirtual image, which current instance types refuse.
      VirtualizationType: "hvm",
      EnaSupport: true,
      TagSpecifications: tagSpecification("image", intent),
    });
    return createdOrFound(
      aws.noRetry.ec2.send(register).then(({ ImageId }) => requireId(ImageId)),
      /^InvalidAMIName\.Duplicate$/,
      () => image.find(aws, intent),
    );
  },
  async obstacles({ ec2 }, id) {
    const query = new DescribeImagesCommand({ Owners: ["self"], Filters: [{ Name: "image-id", Values: [id] }] });
    const [described] = (await ec2.send(query)).Images ?? [];
    // The value is also "enabled-with-cooldown", or the time until which the protection lasts after its end.
    const isProtected = !/^(disabled|false|)$/.test(described?.DeregistrationProtection ?? "");
    return isProtected ? [{ fact: "has deregistration protection", ids: [] }] : [];
  },
  async remove({ ec2 }, id) {
    await ignoring(ec2.send(new DeregisterImageCommand({ ImageId: id })), UNKNOWN_IMAGE);
  },
};

const UNKNOWN_IMAGE = /^InvalidAMIID\.(NotFound|Unavailable)$/;

/** True for an error of a launch that says that AWS does not know an image yet, or no longer. */
export function isOfUnknownImage(error: unknown): boolean {
  return UNKNOWN_IMAGE.test(codeOf(error));
}

export interface ImageState {
  /** Such as `pending`, `available` or `failed`. */
  state: string;
  /** The size of its snapshot in GB, the least of a root disk. */
  rootSizeGb: number;
}

/** One of the account's images, or undefined if AWS does not show it. Concurrent calls share one call to AWS. */
export const describeOwnImage = batchDescribe(async ({ ec2 }: Aws, ids: string[]) => {
  const filter = { Name: "image-id", Values: ids };
  const { Images } = await ec2.send(new DescribeImagesCommand({ Owners: ["self"], Filters: [filter] }));
  return new Map(
    (Images ?? []).map(({ ImageId = "", State: state = "", BlockDeviceMappings }): [string, ImageState] => [
      ImageId,
      { state, rootSizeGb: BlockDeviceMappings?.[0]?.Ebs?.VolumeSize ?? 0 },
    ]),
  );
});
