import { Agent } from "node:http";
import {
  AssociateRouteTableCommand as AssociateRouteTable,
  AttachInternetGatewayCommand as AttachInternetGateway,
  CreateInternetGatewayCommand as CreateInternetGateway,
  CreateRouteCommand as CreateRoute,
  CreateRouteTableCommand as CreateRouteTable,
  CreateSubnetCommand as CreateSubnet,
  CreateVpcCommand as CreateVpc,
  EC2Client,
  ModifyVpcAttributeCommand as ModifyVpcAttribute,
} from "@aws-sdk/client-ec2";
import { NodeHttpHandler } from "@smithy/node-http-handler";

const COMMANDS = {
  AssociateRouteTable,
  AttachInternetGateway,
  CreateInternetGateway,
  CreateRoute,
  CreateRouteTable,
  CreateSubnet,
  CreateVpc,
  ModifyVpcAttribute,
};

const httpAgent = new Agent({ keepAlive: true, maxSockets: 256 });
const client = new EC2Client({ requestHandler: new NodeHttpHandler({ httpAgent }) });

/** Sends a call of network.mjs; returns the id of what it created, else null. */
export async function send({ action, input }) {
  const { Vpc, Subnet, InternetGateway, RouteTable } = await client.send(new COMMANDS[action](input));
  const id = Vpc?.VpcId ?? Subnet?.SubnetId ?? InternetGateway?.InternetGatewayId ?? RouteTable?.RouteTableId;
  return id ?? null;
}

/** Sends a wave without a record of its steps. */
export const sendAll = (calls) => Promise.all(calls.map(send));
