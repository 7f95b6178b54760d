import { setTimeout as wait } from "node:timers/promises";
import { DeleteAutoScalingGroupCommand } from "@aws-sdk/client-auto-scaling";
import {
  DeleteInternetGatewayCommand,
  DeleteKeyPairCommand,
  DeleteLaunchTemplateCommand,
  DeleteNatGatewayCommand,
  DeleteRouteTableCommand,
  DeleteSecurityGroupCommand,
  DeleteSnapshotCommand,
  DeleteSubnetCommand,
  DeleteVolumeCommand,
  DeleteVpcCommand,
  DeregisterImageCommand,
  DescribeInternetGatewaysCommand,
  DetachInternetGatewayCommand,
  ReleaseAddressCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import {
  DeleteInstanceProfileCommand,
  DeletePolicyCommand,
  DeleteRoleCommand,
  DetachRolePolicyCommand,
  ListAttachedRolePoliciesCommand,
  RemoveRoleFromInstanceProfileCommand,
} from "@aws-sdk/client-iam";
import { DeleteDBInstanceCommand, DeleteDBSnapshotCommand, DeleteDBSubnetGroupCommand } from "@aws-sdk/client-rds";
import type { AwsObject, Clients } from "./tagged-aws.js";

type Remover = (clients: Clients, id: string) => Promise<unknown>;

/** How each kind is removed, in the order in which AWS lets go of them. */
const removers: Readonly<Record<string, Remover>> = {
  auto_scaling_group: ({ autoScaling }, AutoScalingGroupName) =>
    autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName, ForceDelete: true })),
  instance: ({ ec2 }, id) => ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] })),
  db_instance: ({ rds }, DBInstanceIdentifier) =>
    rds.send(new DeleteDBInstanceCommand({ DBInstanceIdentifier, SkipFinalSnapshot: true })),
  db_snapshot: ({ rds }, DBSnapshotIdentifier) => rds.send(new DeleteDBSnapshotCommand({ DBSnapshotIdentifier })),
  db_subnet_group: ({ rds }, DBSubnetGroupName) => rds.send(new DeleteDBSubnetGroupCommand({ DBSubnetGroupName })),
  volume: ({ ec2 }, VolumeId) => ec2.send(new DeleteVolumeCommand({ VolumeId })),
  image: ({ ec2 }, ImageId) => ec2.send(new DeregisterImageCommand({ ImageId })),
  snapshot: ({ ec2 }, SnapshotId) => ec2.send(new DeleteSnapshotCommand({ SnapshotId })),
  nat_gateway: ({ ec2 }, NatGatewayId) => ec2.send(new DeleteNatGatewayCommand({ NatGatewayId })),
  address: ({ ec2 }, AllocationId) => ec2.send(new ReleaseAddressCommand({ AllocationId })),
  launch_template: ({ ec2 }, LaunchTemplateId) => ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId })),
  key_pair: ({ ec2 }, KeyPairId) => ec2.send(new DeleteKeyPairCommand({ KeyPairId })),
  security_group: ({ ec2 }, GroupId) => ec2.send(new DeleteSecurityGroupCommand({ GroupId })),
  subnet: ({ ec2 }, SubnetId) => ec2.send(new DeleteSubnetCommand({ SubnetId })),
  route_table: ({ ec2 }, RouteTableId) => ec2.send(new DeleteRouteTableCommand({ RouteTableId })),
  internet_gateway: removeInternetGateway,
  vpc: ({ ec2 }, VpcId) => ec2.send(new DeleteVpcCommand({ VpcId })),
  instance_profile: async ({ iam }, InstanceProfileName) => {
    const RoleName = InstanceProfileName;
    await iam.send(new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName })).catch(() => {});
    return iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName }));
  },
  role: async ({ iam }, RoleName) => {
    const { AttachedPolicies = [] } = await iam.send(new ListAttachedRolePoliciesCommand({ RoleName }));
    for (const { PolicyArn } of AttachedPolicies) await iam.send(new DetachRolePolicyCommand({ RoleName, PolicyArn }));
    return iam.send(new DeleteRoleCommand({ RoleName }));
  },
  policy: ({ iam }, PolicyArn) => iam.send(new DeletePolicyCommand({ PolicyArn })),
};

async function removeInternetGateway({ ec2 }: Clients, InternetGatewayId: string): Promise<void> {
  const query = new DescribeInternetGatewaysCommand({ InternetGatewayIds: [InternetGatewayId] });
  const { InternetGateways } = await ec2.send(query);
  for (const { VpcId } of InternetGateways?.[0]?.Attachments ?? []) {
    await ec2.send(new DetachInternetGatewayCommand({ InternetGatewayId, VpcId }));
  }
  await ec2.send(new DeleteInternetGatewayCommand({ InternetGatewayId }));
}

const KINDS = Object.keys(removers);

interface SweepOptions {
  clients: Clients;
  /** The objects that remain. */
  find: () => Promise<AwsObject[]>;
  report: (sentence: string) => void;
  /** The time for which AWS may refuse to remove what is left, such as a VPC of a database that is being deleted. */
  minutes: number;
  pauseSeconds: number;
}

/** Removes objects until none remains or the time is over. Returns what remains. */
export async function sweep({ clients, find, report, minutes, pauseSeconds }: SweepOptions): Promise<AwsObject[]> {
  const end = Date.now() + minutes * 60_000;
  for (;;) {
    const found = await find();
    const sorted = found.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
    if (sorted.length === 0) return [];
    const refusals: string[] = [];
    for (const { kind, id } of sorted) {
      const remove = removers[kind];
      if (!remove) refusals.push(`${kind} ${id}: this command cannot remove it`);
      else {
        await remove(clients, id).then(
          () => report(`removed ${kind} ${id}`),
          (error: Error) => refusals.push(`${kind} ${id}: ${error.message}`),
        );
      }
    }
    if (Date.now() >= end) {
      for (const refusal of refusals) report(refusal);
      return find();
    }
    await wait(pauseSeconds * 1000);
  }
}
