import { CreateRouteCommand, DeleteRouteCommand, DescribeRouteTablesCommand } from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import type { Aws } from "../clients.js";
import { codeOf, unlessGone } from "../failures.js";

const ANYWHERE = "0.0.0.0/0";

export interface InternetRouteParams {
  routeTableId: string;
  gatewayId: string;
}

/** The route of a table to the internet. It has no id of its own: a table has one route to a destination. */
export const internetRoute: CloudKind<Aws, InternetRouteParams> = {
  kind: "internet_route",
  label: "route to the internet in",
  strategy: "name",
  async find({ ec2 }, { params }) {
    const { RouteTables } = await ec2.send(new DescribeRouteTablesCommand({ RouteTableIds: [params.routeTableId] }));
    const routes = RouteTables?.flatMap(({ Routes }) => Routes ?? []) ?? [];
    const isThere = routes.some(
      (route) => route.DestinationCidrBlock === ANYWHERE && route.GatewayId === params.gatewayId,
    );
    return isThere ? [params.routeTableId] : [];
  },
  async create({ ec2 }, { params }) {
    const route = { RouteTableId: params.routeTableId, GatewayId: params.gatewayId, DestinationCidrBlock: ANYWHERE };
    try {
      await ec2.send(new CreateRouteCommand(route));
    } catch (error) {
      // The SDK's own repetition of a call that was carried out the first time.
      if (codeOf(error) !== "RouteAlreadyExists") throw error;
    }
    return params.routeTableId;
  },
  async remove({ ec2 }, id) {
    const remove = new DeleteRouteCommand({ RouteTableId: id, DestinationCidrBlock: ANYWHERE });
    await unlessGone(ec2.send(remove), /^(InvalidRoute\.NotFound|InvalidRouteTableID\.NotFound)$/);
  },
};
