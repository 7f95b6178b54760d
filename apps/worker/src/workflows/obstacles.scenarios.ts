import { randomUUID } from "node:crypto";
import { DescribeAutoScalingGroupsCommand, EnterStandbyCommand } from "@aws-sdk/client-auto-scaling";
import {
  AssociateAddressCommand,
  AttachVolumeCommand,
  AuthorizeSecurityGroupIngressCommand,
  CreateNetworkInterfaceCommand,
  CreateSecurityGroupCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  DetachVolumeCommand,
  EnableImageDeregistrationProtectionCommand,
  ModifyInstanceAttributeCommand,
  RegisterImageCommand,
} from "@aws-sdk/client-ec2";
import {
  AddRoleToInstanceProfileCommand,
  AttachUserPolicyCommand,
  CreateInstanceProfileCommand,
  CreatePolicyVersionCommand,
  CreateUserCommand,
} from "@aws-sdk/client-iam";
import { CreateDBInstanceCommand } from "@aws-sdk/client-rds";
import type { TestAccount } from "@gantry/test/support/account";
import { launchInstance } from "@gantry/test/support/instance";
import type { Aws } from "../aws/clients.js";

/** Puts something that Gantry does not know in the way of an object's removal, and returns what a refusal names. */
type PutObstacle = (aws: Aws, id: string, customer: TestAccount) => Promise<string[]>;

const newName = () => `foreign-${randomUUID().slice(0, 8)}`;

async function createDatabase({ rds }: Aws, placement: object): Promise<string> {
  const name = newName();
  const create = { DBInstanceIdentifier: name, DBInstanceClass: "db.m4.large", AllocatedStorage: 20 };
  const login = { Engine: "mysql", MasterUsername: "foreign", MasterUserPassword: "foreign-password" };
  await rds.send(new CreateDBInstanceCommand({ ...create, ...login, ...placement }));
  return name;
}

/** By kind, for each kind whose removal AWS may refuse. */
export const putObstacle: Readonly<Record<string, PutObstacle>> = {
  vpc: async ({ ec2 }, VpcId) => {
    const create = new CreateSecurityGroupCommand({ VpcId, GroupName: newName(), Description: "foreign" });
    return [(await ec2.send(create)).GroupId ?? ""];
  },
  subnet: async ({ ec2 }, SubnetId) => {
    const { NetworkInterface } = await ec2.send(new CreateNetworkInterfaceCommand({ SubnetId }));
    return [NetworkInterface?.NetworkInterfaceId ?? ""];
  },
  security_group: async ({ ec2 }, groupId) => {
    const { SecurityGroups } = await ec2.send(new DescribeSecurityGroupsCommand({ GroupIds: [groupId] }));
    const VpcId = SecurityGroups?.[0]?.VpcId ?? "";
    const { Subnets } = await ec2.send(new DescribeSubnetsCommand({ Filters: [{ Name: "vpc-id", Values: [VpcId] }] }));
    const { NetworkInterface } = await ec2.send(
      new CreateNetworkInterfaceCommand({ SubnetId: Subnets?.[0]?.SubnetId, Groups: [groupId] }),
    );
    const create = new CreateSecurityGroupCommand({ VpcId, GroupName: newName(), Description: "foreign" });
    const { GroupId = "" } = await ec2.send(create);
    const ports = { IpProtocol: "tcp", FromPort: 22, ToPort: 22 };
    const IpPermissions = [{ ...ports, UserIdGroupPairs: [{ GroupId: groupId }] }];
    await ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
    return [NetworkInterface?.NetworkInterfaceId ?? "", GroupId];
  },
  address: async ({ ec2 }, AllocationId, customer) => {
    const InstanceId = await launchInstance(customer);
    await ec2.send(new AssociateAddressCommand({ AllocationId, InstanceId }));
    return [InstanceId];
  },
  volume: async ({ ec2 }, VolumeId, customer) => {
    const { Volumes } = await ec2.send(new DescribeVolumesCommand({ VolumeIds: [VolumeId] }));
    for (const { InstanceId } of Volumes?.[0]?.Attachments ?? [])
      await ec2.send(new DetachVolumeCommand({ VolumeId, InstanceId }));
    const InstanceId = await launchInstance(customer);
    await ec2.send(new AttachVolumeCommand({ VolumeId, InstanceId, Device: "/dev/xvdz" }));
    return [InstanceId];
  },
  snapshot: async ({ ec2 }, SnapshotId) => {
    const DeviceName = "/dev/xvda";
    const BlockDeviceMappings = [{ DeviceName, Ebs: { SnapshotId } }];
    const register = {
      Name: newName(),
      Architecture: "x86_64",
      RootDeviceName: DeviceName,
      BlockDeviceMappings,
    } as const;
    return [(await ec2.send(new RegisterImageCommand(register))).ImageId ?? ""];
  },
  image: async ({ ec2 }, ImageId) => {
    await ec2.send(new EnableImageDeregistrationProtectionCommand({ ImageId }));
    return [`${ImageId} has deregistration protection`];
  },
  instance: async ({ ec2 }, InstanceId) => {
    await ec2.send(new ModifyInstanceAttributeCommand({ InstanceId, DisableApiTermination: { Value: true } }));
    return [`${InstanceId} has termination protection`];
  },
  auto_scaling_group: async ({ autoScaling }, AutoScalingGroupName) => {
    const query = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [AutoScalingGroupName] });
    const [group] = (await autoScaling.send(query)).AutoScalingGroups ?? [];
    const id = group?.Instances?.at(-1)?.InstanceId ?? "";
    const standby = { AutoScalingGroupName, InstanceIds: [id], ShouldDecrementDesiredCapacity: true };
    await autoScaling.send(new EnterStandbyCommand(standby));
    return [id];
  },
  role: async ({ iam }, RoleName) => {
    const InstanceProfileName = newName();
    await iam.send(new CreateInstanceProfileCommand({ InstanceProfileName }));
    await iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName }));
    return [InstanceProfileName];
  },
  policy: async ({ iam }, PolicyArn) => {
    const UserName = newName();
    await iam.send(new CreateUserCommand({ UserName }));
    await iam.send(new AttachUserPolicyCommand({ UserName, PolicyArn }));
    const statement = { Effect: "Allow", Action: "s3:ListAllMyBuckets", Resource: "*" };
    const PolicyDocument = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
    await iam.send(new CreatePolicyVersionCommand({ PolicyArn, PolicyDocument }));
    return [UserName, "version v2"];
  },
  db_subnet_group: async (aws, DBSubnetGroupName) => [await createDatabase(aws, { DBSubnetGroupName })],
  db_parameter_group: async (aws, DBParameterGroupName) => [await createDatabase(aws, { DBParameterGroupName })],
  db_cluster: async ({ rds }, DBClusterIdentifier) => {
    const name = newName();
    const member = { DBInstanceIdentifier: name, DBInstanceClass: "db.r3.large", Engine: "aurora-mysql" };
    await rds.send(new CreateDBInstanceCommand({ ...member, DBClusterIdentifier }));
    return [name];
  },
};
