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

/** A route table of a VPC, in addition to its main route table. */
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
  // Its removal takes the table from every subnet.
  obstacles: "none",
  async remove({ ec2 }, id) {
    await ignoring(disassociateAll(ec2, id), GONE);
    await ignoring(ec2.send(new DeleteRouteTableCommand({ RouteTableId: id })), GONE);
  },
};

/** Creates the table's route to the internet through a gateway. The deletion of the table deletes the route. */
export function routeToInternet(
  routeTableId: string,
  gateway: { internetGatewayId: string } | { natGatewayId: string },
): (aws: Aws) => Promise<void> {
  const target =
    "natGatewayId" in gateway ? { NatGatewayId: gateway.natGatewayId } : { GatewayId: gateway.internetGatewayId };
  return async ({ ec2 }) => {
    const route = { RouteTableId: routeTableId, ...target, DestinationCidrBlock: "0.0.0.0/0" };
    await ignoring(ec2.send(new CreateRouteCommand(route)), /^RouteAlreadyExists$/);
  };
}

/** Associates a subnet with the table. The deletion of either deletes the association. */
export function routeSubnet(routeTableId: string, subnetId: string): (aws: Aws) => Promise<void> {
  return async ({ ec2 }) => {
    const associate = new AssociateRouteTableCommand({ RouteTableId: routeTableId, SubnetId: subnetId });
    await ignoring(ec2.send(associate), /^Resource\.AlreadyAssociated$/);
  };
}

// AWS deletes an association with its subnet; not every endpoint does.
async function disassociateAll(ec2: Aws["ec2"], id: string): Promise<void> {
  const { RouteTables } = await ec2.send(new DescribeRouteTablesCommand({ RouteTableIds: [id] }));
  for (const { RouteTableAssociationId, Main } of RouteTables?.flatMap(({ Associations }) => Associations ?? []) ??
    []) {
    if (Main || !RouteTableAssociationId) continue;
    const dissociation = new DisassociateRouteTableCommand({ AssociationId: RouteTableAssociationId });
    await ignoring(ec2.send(dissociation), /^InvalidAssociationID\.NotFound$/);
  }
}
