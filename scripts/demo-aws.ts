import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import {
  DescribeInstancesCommand,
  DescribeInternetGatewaysCommand,
  DescribeKeyPairsCommand,
  DescribeLaunchTemplatesCommand,
  DescribeRouteTablesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  DescribeVpcsCommand,
  EC2Client,
} from "@aws-sdk/client-ec2";
import { IAMClient, ListInstanceProfilesCommand, ListPoliciesCommand, ListRolesCommand } from "@aws-sdk/client-iam";
import { DescribeDBInstancesCommand, RDSClient } from "@aws-sdk/client-rds";

export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
}

interface Tag {
  Key?: string | undefined;
  Value?: string | undefined;
}

/** Lists the objects of one Gantry account in AWS itself, one object a line. */
export class AwsView {
  private readonly autoScaling: AutoScalingClient;
  private readonly ec2: EC2Client;
  private readonly iam: IAMClient;
  private readonly rds: RDSClient;

  constructor(endpoint: string, region: string, credentials: AwsKeys) {
    const options = { endpoint, region, credentials };
    this.autoScaling = new AutoScalingClient(options);
    this.ec2 = new EC2Client(options);
    this.iam = new IAMClient(options);
    this.rds = new RDSClient(options);
  }

  async objects(account: string, roleNames: string[]): Promise<string[]> {
    const objects = await Promise.all([
      this.networks(account),
      this.roles(roleNames),
      this.servers(account),
      this.groups(account),
      this.databases(account),
    ]);
    return objects.flat();
  }

  close(): void {
    for (const client of [this.autoScaling, this.ec2, this.iam, this.rds]) client.destroy();
  }

  private async networks(account: string): Promise<string[]> {
    const filter = { Filters: [{ Name: "tag:gantry:account", Values: [account] }] };
    const [vpcs, subnets, gateways, tables] = await Promise.all([
      this.ec2.send(new DescribeVpcsCommand(filter)),
      this.ec2.send(new DescribeSubnetsCommand(filter)),
      this.ec2.send(new DescribeInternetGatewaysCommand(filter)),
      this.ec2.send(new DescribeRouteTablesCommand(filter)),
    ]);
    return [
      ...(vpcs.Vpcs ?? []).map(({ VpcId, CidrBlock }) => `VPC ${VpcId} ${CidrBlock}`),
      ...(gateways.InternetGateways ?? []).map(({ InternetGatewayId }) => `internet gateway ${InternetGatewayId}`),
      ...(tables.RouteTables ?? []).map(({ RouteTableId }) => `route table ${RouteTableId}`),
      ...(subnets.Subnets ?? []).map(
        (subnet) => `subnet ${subnet.SubnetId} ${subnet.CidrBlock} ${subnet.AvailabilityZone}`,
      ),
    ];
  }

  private async roles(names: string[]): Promise<string[]> {
    const [roles, profiles, policies] = await Promise.all([
      this.iam.send(new ListRolesCommand({})),
      this.iam.send(new ListInstanceProfilesCommand({})),
      this.iam.send(new ListPoliciesCommand({ Scope: "Local" })),
    ]);
    const isIncluded = (name: string | undefined) => names.includes(name ?? "");
    return [
      ...(roles.Roles ?? []).filter(({ RoleName }) => isIncluded(RoleName)).map(({ Arn }) => `role ${Arn}`),
      ...(profiles.InstanceProfiles ?? [])
        .filter(({ InstanceProfileName }) => isIncluded(InstanceProfileName))
        .map(({ InstanceProfileName }) => `instance profile ${InstanceProfileName}`),
      ...(policies.Policies ?? []).filter(({ PolicyName }) => isIncluded(PolicyName)).map(({ Arn }) => `policy ${Arn}`),
    ];
  }

  private async servers(account: string): Promise<string[]> {
    const filter = { Filters: [{ Name: "tag:gantry:account", Values: [account] }] };
    const [instances, volumes, groups, keys] = await Promise.all([
      this.ec2.send(new DescribeInstancesCommand(filter)),
      this.ec2.send(new DescribeVolumesCommand(filter)),
      this.ec2.send(new DescribeSecurityGroupsCommand(filter)),
      this.ec2.send(new DescribeKeyPairsCommand(filter)),
    ]);
    const running = (instances.Reservations ?? [])
      .flatMap(({ Instances }) => Instances ?? [])
      .filter(({ State }) => State?.Name !== "terminated");
    return [
      ...(keys.KeyPairs ?? []).map(({ KeyName }) => `key pair ${KeyName}`),
      ...(groups.SecurityGroups ?? []).map(({ GroupId, GroupName }) => `security group ${GroupId} ${GroupName}`),
      ...running.map((object) => `instance ${object.InstanceId} ${object.InstanceType} ${object.State?.Name}`),
      ...(volumes.Volumes ?? []).map(({ VolumeId, Size, State }) => `volume ${VolumeId} ${Size} GB ${State}`),
    ];
  }

  private async groups(account: string): Promise<string[]> {
    const filter = { Filters: [{ Name: "tag:gantry:account", Values: [account] }] };
    const [templates, groups] = await Promise.all([
      this.ec2.send(new DescribeLaunchTemplatesCommand(filter)),
      this.autoScaling.send(new DescribeAutoScalingGroupsCommand({})),
    ]);
    return [
      ...(templates.LaunchTemplates ?? []).map(({ LaunchTemplateId }) => `launch template ${LaunchTemplateId}`),
      ...(groups.AutoScalingGroups ?? [])
        .filter(({ Tags }) => isOf(account, Tags))
        .map((group) => `auto scaling group ${group.AutoScalingGroupName} of ${group.Instances?.length} instances`),
    ];
  }

  private async databases(account: string): Promise<string[]> {
    const { DBInstances } = await this.rds.send(new DescribeDBInstancesCommand({}));
    return (DBInstances ?? [])
      .filter(({ TagList }) => isOf(account, TagList))
      .map(
        (object) =>
          `database ${object.DBInstanceIdentifier} ${object.Engine} ${object.EngineVersion} ${object.DBInstanceStatus}`,
      );
  }
}

function isOf(account: string, tags: Tag[] = []): boolean {
  return tags.some(({ Key, Value }) => Key === "gantry:account" && Value === account);
}
