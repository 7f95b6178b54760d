import { DescribeImagesCommand } from "@aws-sdk/client-ec2";
import { GetParameterCommand } from "@aws-sdk/client-ssm";
import type { Aws } from "../clients.js";

export interface ServerImage {
  imageId: string;
  /** The device of its root disk, such as /dev/xvda. */
  rootDevice: string;
}

/** The image that new servers of the region are made from, or undefined where the region has none. */
export async function findServerImage({ ec2, ssm, serverImage }: Aws): Promise<ServerImage | undefined> {
  const { Parameter } = await ssm.send(new GetParameterCommand({ Name: serverImage }));
  if (!Parameter?.Value) return undefined;
  const { Images } = await ec2.send(new DescribeImagesCommand({ ImageIds: [Parameter.Value] }));
  const [image] = Images ?? [];
  return image?.ImageId === undefined
    ? undefined
    : { imageId: image.ImageId, rootDevice: image.RootDeviceName ?? "/dev/xvda" };
}
