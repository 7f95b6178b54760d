import {
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  DeleteInternetGatewayCommand,
  DescribeInternetGatewaysCommand,
  DetachInternetGatewayCommand,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { definedIds, requireId, tagSpecification, tokenFilter } from "./tags.js";

/** An internet gateway, attached to its VPC. */
export const internetGateway: CloudKind<Aws, { vpcId: string }> = {
  kind: "internet_gateway",
  label: "internet gateway",
  strategy: "tag",
  async find({ ec2 }, intent) {
    const { InternetGateways } = await ec2.send(new DescribeInternetGatewaysCommand(tokenFilter(intent)));
    return definedIds(InternetGateways?.map(({ InternetGatewayId }) => InternetGatewayId));
  },
  async create({ noRetry }, intent) {
    const { InternetGateway } = await noRetry.ec2.send(
      new CreateInternetGatewayCommand({ TagSpecifications: tagSpecification("internet-gateway", intent) }),
    );
    return requireId(InternetGateway?.InternetGatewayId);
  },
  async sync({ ec2 }, id, { params }) {
    const attach = new AttachInternetGatewayCommand({ InternetGatewayId: id, VpcId: params.vpcId });
    await ignoring(ec2.send(attach), /^Resource\.AlreadyAssociated$/);
  },
  // The public addresses that use it are in its VPC.
  obstacles: "none",
  async remove({ ec2 }, id, { vpcId }) {
    const detach = new DetachInternetGatewayCommand({ InternetGatewayId: id, VpcId: vpcId });
    await ignoring(
      ec2.send(detach),
      /^(Gateway\.NotAttached|InvalidInternetGatewayID\.NotFound|InvalidVpcID\.NotFound)$/,
    );
    const remove = new DeleteInternetGatewayCommand({ InternetGatewayId: id });
    await ignoring(ec2.send(remove), /^InvalidInternetGatewayID\.NotFound$/);
  },
};
