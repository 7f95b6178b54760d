import {
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  DeleteInternetGatewayCommand,
  DescribeInternetGatewaysCommand,
  DetachInternetGatewayCommand,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import type { Aws } from "../clients.js";
import { unless } from "../failures.js";
import { idIn, idsIn, madeFor, tagged } from "./tags.js";

/** An internet gateway, attached to its VPC. */
export const internetGateway: CloudKind<Aws, { vpcId: string }> = {
  kind: "internet_gateway",
  label: "internet gateway",
  strategy: "tag",
  async find({ ec2 }, intent) {
    const { InternetGateways } = await ec2.send(new DescribeInternetGatewaysCommand(madeFor(intent)));
    return idsIn(InternetGateways?.map(({ InternetGatewayId }) => InternetGatewayId));
  },
  async create({ once }, intent) {
    const { InternetGateway } = await once.ec2.send(
      new CreateInternetGatewayCommand({ TagSpecifications: tagged("internet-gateway", intent) }),
    );
    return idIn(InternetGateway?.InternetGatewayId);
  },
  async sync({ ec2 }, id, { params }) {
    const attach = new AttachInternetGatewayCommand({ InternetGatewayId: id, VpcId: params.vpcId });
    await unless(ec2.send(attach), /^Resource\.AlreadyAssociated$/);
  },
  async remove({ ec2 }, id, { vpcId }) {
    const detach = new DetachInternetGatewayCommand({ InternetGatewayId: id, VpcId: vpcId });
    await unless(
      ec2.send(detach),
      /^(Gateway\.NotAttached|InvalidInternetGatewayID\.NotFound|InvalidVpcID\.NotFound)$/,
    );
    const remove = new DeleteInternetGatewayCommand({ InternetGatewayId: id });
    await unless(ec2.send(remove), /^InvalidInternetGatewayID\.NotFound$/);
  },
};
