import {
  CreateRouteTableCommand,
  DeleteRouteTableCommand,
  DescribeRouteTablesCommand,
  DisassociateRouteTableCommand,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import type { Aws } from "../clients.js";
import { unlessGone } from "../failures.js";
import { idIn, idsIn, madeFor, tagged } from "./tags.js";

const GONE = /^InvalidRouteTableID\.NotFound$/;

/** A route table of a VPC, beside its main one. */
export const routeTable: CloudKind<Aws, { vpcId: string }> = {
  kind: "route_table",
  label: "route table",
  strategy: "token",
  async find({ ec2 }, intent) {
    const { RouteTables } = await ec2.send(new DescribeRouteTablesCommand(madeFor(intent)));
    return idsIn(RouteTables?.map(({ RouteTableId }) => RouteTableId));
  },
  async create({ ec2 }, intent) {
    const { RouteTable } = await ec2.send(
      new CreateRouteTableCommand({
        VpcId: intent.params.vpcId,
        ClientToken: intent.token,
        TagSpecifications: tagged("route-table", intent),
      }),
    );
    return idIn(RouteTable?.RouteTableId);
  },
  async remove({ ec2 }, id) {
    await unlessGone(dissociate(ec2, id), GONE);
    await unlessGone(ec2.send(new DeleteRouteTableCommand({ RouteTableId: id })), GONE);
  },
};

// AWS drops an association together with its subnet; not every endpoint does.
async function dissociate(ec2: Aws["ec2"], id: string): Promise<void> {
  const { RouteTables } = await ec2.send(new DescribeRouteTablesCommand({ RouteTableIds: [id] }));
  for (const { RouteTableAssociationId, Main } of RouteTables?.flatMap(({ Associations }) => Associations ?? []) ??
    []) {
    if (Main || !RouteTableAssociationId) continue;
    const dissociation = new DisassociateRouteTableCommand({ AssociationId: RouteTableAssociationId });
    await unlessGone(ec2.send(dissociation), /^InvalidAssociationID\.NotFound$/);
  }
}
