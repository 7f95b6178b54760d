import { describeNatGateway, natAddress, natGateway } from "../../aws/ec2/nat-gateway.js";
import { permanent, poll } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

interface GatewayLocation {
  providerId: number;
  region: string;
  /** The public subnet that holds the gateway; the gateway is removed with it. */
  subnet: { id: string; provisionedId: string };
}

/**
 * Creates a NAT gateway and its address in a public subnet, and returns the gateway's id. May be repeated.
 *
 * @throws NotYet until AWS has made the gateway; PermanentFailure if AWS could not
 */
export async function ensureNatGateway(
  { cloud }: Pick<AwsStageContext, "cloud">,
  location: GatewayLocation,
): Promise<string> {
  const { providerId, region, subnet } = location;
  const scope = cloud({ providerId, region, owner: { type: "subnet", id: subnet.id } });
  const allocationId = await scope.ensure(natAddress, {});
  const id = await scope.ensure(natGateway, { subnetId: subnet.provisionedId, allocationId });
  const { state, failure } = (await scope.call(describeNatGateway(id))) ?? { state: "", failure: "" };
  if (state === "failed") throw permanent(`AWS could not create the NAT gateway (${failure})`);
  if (state !== "available") {
    throw poll("AWS to create the NAT gateway", { watched: scope.watch(natGateway, id, state) });
  }
  return id;
}
