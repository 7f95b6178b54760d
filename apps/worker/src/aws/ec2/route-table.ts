import {
  AssociateRouteTableCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  DeleteRouteTableCommand,
  DescribeRouteTablesCommand,
  DisassociateRouteTableCommand,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { definedIds, requireId, tagSpecification, tokenFilter } from "./tags.js";

const GONE = /^InvalidRouteTableID\.NotFound$/;

/** A route table of a VPC, beside its main one. */
export const routeTable: CloudKind<Aws, { vpcId: string }> = {
  kind: "route_table",
  label: "route table",
  strategy: "token",
  async find({ ec2 }, intent) {
    const { RouteTables } = await ec2.send(new DescribeRouteTablesCommand(tokenFilter(intent)));
    return definedIds(RouteTables?.map(({ RouteTableId }) => RouteTableId));
  },
  async create({ ec2 }, intent) {
    const { RouteTable } = await ec2.send(
      new CreateRouteTableCommand({
        VpcId: intent.params.vpcId,
        ClientToken: intent.token,
        TagSpecifications: tagSpecification("route-table", intent),
      }),
    );
    return requireId(RouteTable?.RouteTableId);
  },
  async remove({ ec2 }, id) {
    await ignoring(disassociateAll(ec2, id), GONE);
    await ignoring(ec2.send(new DeleteRouteTableCommand({ RouteTableId: id })), GONE);
  },
};

/** Has the table route its traffic to anywhere else through a gateway. The route goes with the table. */
export function routeToInternet(routeTableId: string, gatewayId: string): (aws: Aws) => Promise<void> {
  return async ({ ec2 }) => {
    const route = { RouteTableId: routeTableId, GatewayId: gatewayId, DestinationCidrBlock: "0.0.0.0/0" };
    await ignoring(ec2.send(new CreateRouteCommand(route)), /^RouteAlreadyExists$/);
  };
}

/** Has the table route a subnet. The association goes with either. */
export function routeSubnet(routeTableId: string, subnetId: string): (aws: Aws) => Promise<void> {
  return async ({ ec2 }) => {
    const associate = new AssociateRouteTableCommand({ RouteTableId: routeTableId, SubnetId: subnetId });
    await ignoring(ec2.send(associate), /^Resource\.AlreadyAssociated$/);
  };
}

// AWS drops an association together with its subnet; not every endpoint does.
async function disassociateAll(ec2: Aws["ec2"], id: string): Promise<void> {
  const { RouteTables } = await ec2.send(new DescribeRouteTablesCommand({ RouteTableIds: [id] }));
  for (const { RouteTableAssociationId, Main } of RouteTables?.flatMap(({ Associations }) => Associations ?? []) ??
    []) {
    if (Main || !RouteTableAssociationId) continue;
    const dissociation = new DisassociateRouteTableCommand({ AssociationId: RouteTableAssociationId });
    await ignoring(ec2.send(dissociation), /^InvalidAssociationID\.NotFound$/);
  }
}
