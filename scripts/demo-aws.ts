import {
  DescribeInternetGatewaysCommand,
  DescribeRouteTablesCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  EC2Client,
} from "@aws-sdk/client-ec2";
import { IAMClient, ListInstanceProfilesCommand, ListPoliciesCommand, ListRolesCommand } from "@aws-sdk/client-iam";

export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
}

/** Asks AWS itself what exists of one Gantry account, past Gantry. Each line is one object. */
export class AwsView {
  private readonly ec2: EC2Client;
  private readonly iam: IAMClient;

  constructor(endpoint: string, region: string, credentials: AwsKeys) {
    const options = { endpoint, region, credentials };
    this.ec2 = new EC2Client(options);
    this.iam = new IAMClient(options);
  }

  async objects(account: string, roleNames: string[]): Promise<string[]> {
    const ours = { Filters: [{ Name: "tag:gantry:account", Values: [account] }] };
    const [vpcs, subnets, gateways, tables, roles, profiles, policies] = await Promise.all([
      this.ec2.send(new DescribeVpcsCommand(ours)),
      this.ec2.send(new DescribeSubnetsCommand(ours)),
      this.ec2.send(new DescribeInternetGatewaysCommand(ours)),
      this.ec2.send(new DescribeRouteTablesCommand(ours)),
      this.iam.send(new ListRolesCommand({})),
      this.iam.send(new ListInstanceProfilesCommand({})),
      this.iam.send(new ListPoliciesCommand({ Scope: "Local" })),
    ]);
    const isOurs = (name: string | undefined) => roleNames.includes(name ?? "");
    return [
      ...(vpcs.Vpcs ?? []).map(({ VpcId, CidrBlock }) => `VPC ${VpcId} ${CidrBlock}`),
      ...(gateways.InternetGateways ?? []).map(({ InternetGatewayId }) => `internet gateway ${InternetGatewayId}`),
      ...(tables.RouteTables ?? []).map(({ RouteTableId }) => `route table ${RouteTableId}`),
      ...(subnets.Subnets ?? []).map(
        (subnet) => `subnet ${subnet.SubnetId} ${subnet.CidrBlock} ${subnet.AvailabilityZone}`,
      ),
      ...(roles.Roles ?? []).filter(({ RoleName }) => isOurs(RoleName)).map(({ Arn }) => `role ${Arn}`),
      ...(profiles.InstanceProfiles ?? [])
        .filter(({ InstanceProfileName }) => isOurs(InstanceProfileName))
        .map(({ InstanceProfileName }) => `instance profile ${InstanceProfileName}`),
      ...(policies.Policies ?? []).filter(({ PolicyName }) => isOurs(PolicyName)).map(({ Arn }) => `policy ${Arn}`),
    ];
  }

  close(): void {
    this.ec2.destroy();
    this.iam.destroy();
  }
}
