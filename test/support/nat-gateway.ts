import {
  AllocateAddressCommand,
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateNatGatewayCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DeleteNatGatewayCommand,
} from "@aws-sdk/client-ec2";
import { awsOpener } from "@gantry/worker";
import { REGION, type TestAccount } from "./account.js";
import { accountTags } from "./orphans.js";

/** Creates a NAT gateway with the account's tag, and a network without it. Returns its id, and what removes it. */
export async function createOrphanNatGateway(customer: TestAccount) {
  const { ec2 } = awsOpener(10)(REGION, customer.awsAccount);
  const VpcId = (await ec2.send(new CreateVpcCommand({ CidrBlock: "10.7.0.0/16" }))).Vpc?.VpcId;
  const { InternetGateway } = await ec2.send(new CreateInternetGatewayCommand({}));
  const InternetGatewayId = InternetGateway?.InternetGatewayId;
  await ec2.send(new AttachInternetGatewayCommand({ VpcId, InternetGatewayId }));
  const { Subnet } = await ec2.send(new CreateSubnetCommand({ VpcId, CidrBlock: "10.7.0.0/24" }));
  const { AllocationId } = await ec2.send(new AllocateAddressCommand({ Domain: "vpc" }));
  const TagSpecifications = accountTags("natgateway", customer);
  const place = { SubnetId: Subnet?.SubnetId, AllocationId, TagSpecifications };
  const { NatGateway } = await ec2.send(new CreateNatGatewayCommand(place));
  const NatGatewayId = NatGateway?.NatGatewayId ?? "";
  return { id: NatGatewayId, remove: () => ec2.send(new DeleteNatGatewayCommand({ NatGatewayId })) };
}
