import {
  DescribeInstancesCommand,
  DescribeInternetGatewaysCommand,
  DescribeNatGatewaysCommand,
  DescribeNetworkAclsCommand,
  DescribeNetworkInterfacesCommand,
  DescribeRouteTablesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVpcEndpointsCommand,
  DescribeVpnGatewaysCommand,
} from "@aws-sdk/client-ec2";
import type { Obstacle } from "../../engine/cloud-kind.js";
import type { Aws } from "../clients.js";

type Ec2 = Aws["ec2"];

/** The states of an instance that still uses what it was launched with. */
export const LIVING_INSTANCES = ["pending", "running", "shutting-down", "stopping", "stopped"];
const LIVING_GATEWAYS = ["pending", "available", "deleting"];

/** Lists everything for which AWS refuses the removal of a subnet. */
export function contentsOfSubnet(id: string): (aws: Aws) => Promise<Obstacle[]> {
  return ({ ec2 }) => placedIn(ec2, "subnet-id", id);
}

/** Lists everything for which AWS refuses the removal of a VPC. */
export function contentsOfVpc(id: string): (aws: Aws) => Promise<Obstacle[]> {
  return async ({ ec2 }) => {
    const lists = await Promise.all([
      placedIn(ec2, "vpc-id", id),
      subnetsOf(ec2, id),
      gatewaysOf(ec2, id),
      routingOf(ec2, id),
      securityOf(ec2, id),
    ]);
    return lists.flat();
  };
}

async function placedIn(ec2: Ec2, Name: "vpc-id" | "subnet-id", id: string): Promise<Obstacle[]> {
  const place = { Name, Values: [id] };
  const [{ Reservations }, { NatGateways }, { NetworkInterfaces }] = await Promise.all([
    ec2.send(
      new DescribeInstancesCommand({ Filters: [place, { Name: "instance-state-name", Values: LIVING_INSTANCES }] }),
    ),
    ec2.send(new DescribeNatGatewaysCommand({ Filter: [place, { Name: "state", Values: LIVING_GATEWAYS }] })),
    ec2.send(new DescribeNetworkInterfacesCommand({ Filters: [place] })),
  ]);
  const ofGateways = NatGateways?.flatMap((each) => each.NatGatewayAddresses ?? []) ?? [];
  const gatewayInterfaces = new Set(ofGateways.map(({ NetworkInterfaceId }) => NetworkInterfaceId));
  // The interfaces of instances and of gateways go with them.
  const others = NetworkInterfaces?.filter(
    (each) => !each.Attachment?.InstanceId && !gatewayInterfaces.has(each.NetworkInterfaceId),
  );
  const instances = Reservations?.flatMap((each) => each.Instances ?? []);
  // A subnet that is gone took its contents with it; one that is to be removed does not.
  const containerOf = ({ SubnetId }: { SubnetId?: string | undefined }) => (Name === "vpc-id" ? SubnetId : undefined);
  return [
    ...contained("instance", instances, (each) => [each.InstanceId, containerOf(each)]),
    ...contained("NAT gateway", NatGateways, (each) => [each.NatGatewayId, containerOf(each)]),
    ...contained("network interface", others, (each) => [each.NetworkInterfaceId, containerOf(each)]),
  ];
}

async function subnetsOf(ec2: Ec2, vpcId: string): Promise<Obstacle[]> {
  const { Subnets } = await ec2.send(new DescribeSubnetsCommand({ Filters: [{ Name: "vpc-id", Values: [vpcId] }] }));
  return contained("subnet", Subnets, (each) => [each.SubnetId]);
}

async function gatewaysOf(ec2: Ec2, vpcId: string): Promise<Obstacle[]> {
  const Filters = [{ Name: "attachment.vpc-id", Values: [vpcId] }];
  const [{ InternetGateways }, { VpnGateways }] = await Promise.all([
    ec2.send(new DescribeInternetGatewaysCommand({ Filters })),
    ec2.send(new DescribeVpnGatewaysCommand({ Filters })),
  ]);
  const attached = VpnGateways?.filter(({ VpcAttachments }) =>
    VpcAttachments?.some(({ VpcId, State }) => VpcId === vpcId && State !== "detached"),
  );
  return [
    ...contained("internet gateway", InternetGateways, (each) => [each.InternetGatewayId]),
    ...contained("VPN gateway", attached, (each) => [each.VpnGatewayId]),
  ];
}

async function routingOf(ec2: Ec2, vpcId: string): Promise<Obstacle[]> {
  const Filters = [{ Name: "vpc-id", Values: [vpcId] }];
  const [{ RouteTables }, { VpcEndpoints }] = await Promise.all([
    ec2.send(new DescribeRouteTablesCommand({ Filters })),
    ec2.send(new DescribeVpcEndpointsCommand({ Filters })),
  ]);
  const added = RouteTables?.filter(({ Associations }) => !Associations?.some(({ Main }) => Main));
  const living = VpcEndpoints?.filter(({ State }) => State?.toLowerCase() !== "deleted");
  return [
    ...contained("route table", added, (each) => [each.RouteTableId]),
    ...contained("endpoint", living, (each) => [each.VpcEndpointId]),
  ];
}

async function securityOf(ec2: Ec2, vpcId: string): Promise<Obstacle[]> {
  const Filters = [{ Name: "vpc-id", Values: [vpcId] }];
  const [{ SecurityGroups }, { NetworkAcls }] = await Promise.all([
    ec2.send(new DescribeSecurityGroupsCommand({ Filters })),
    ec2.send(new DescribeNetworkAclsCommand({ Filters })),
  ]);
  const groups = SecurityGroups?.filter(({ GroupName }) => GroupName !== "default");
  const lists = NetworkAcls?.filter(({ IsDefault }) => !IsDefault);
  return [
    ...contained("security group", groups, (each) => [each.GroupId]),
    ...contained("network ACL", lists, (each) => [each.NetworkAclId]),
  ];
}

function contained<T>(
  label: string,
  objects: T[] | undefined,
  idsOf: (object: T) => [id: string | undefined, subnetId?: string | undefined],
): Obstacle[] {
  return (objects ?? []).flatMap((object) => {
    const [id, subnetId] = idsOf(object);
    return id ? [{ fact: `contains ${label} ${id}`, ids: subnetId ? [id, subnetId] : [id] }] : [];
  });
}
