import { DescribeImagesCommand } from "@aws-sdk/client-ec2";
import { GetParameterCommand } from "@aws-sdk/client-ssm";
import type { Aws } from "../clients.js";

export interface ServerImage {
  imageId: string;
  /** The device of its root disk, such as /dev/xvda. */
  rootDevice: string;
  /** The least size of its root disk. */
  rootSizeGb: number;
}

const images = new WeakMap<Aws, Map<string, Promise<ServerImage | undefined>>>();

/**
 * The image of new servers of an architecture in the region, or undefined if the region has none. All calls of one set of
 * clients share the first response.
 */
export function findServerImage(architecture = "x86_64"): (aws: Aws) => Promise<ServerImage | undefined> {
  return (aws) => {
    // A parameter that names no architecture is the operator's own, and names the image for every server.
    const parameter = aws.serverImage.replace("x86_64", architecture);
    const ofClients = images.get(aws) ?? new Map<string, Promise<ServerImage | undefined>>();
    images.set(aws, ofClients);
    const reading = ofClients.get(parameter) ?? readServerImage(aws, parameter);
    ofClients.set(parameter, reading);
    reading.catch(() => ofClients.delete(parameter));
    return reading;
  };
}

async function readServerImage(aws: Aws, parameter: string): Promise<ServerImage | undefined> {
  const { Parameter } = await aws.ssm.send(new GetParameterCommand({ Name: parameter }));
  return Parameter?.Value ? describeImage(aws, Parameter.Value) : undefined;
}

/** An image by its id, or undefined if the region has none. */
export async function describeImage({ ec2 }: Aws, id: string): Promise<ServerImage | undefined> {
  const { Images } = await ec2.send(new DescribeImagesCommand({ ImageIds: [id] }));
  const { ImageId: imageId, RootDeviceName: rootDevice = "/dev/xvda", BlockDeviceMappings } = Images?.[0] ?? {};
  const root = BlockDeviceMappings?.find(({ DeviceName }) => DeviceName === rootDevice);
  return imageId === undefined ? undefined : { imageId, rootDevice, rootSizeGb: root?.Ebs?.VolumeSize ?? 0 };
}
