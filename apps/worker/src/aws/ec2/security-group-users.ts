import {
  DescribeInstancesCommand,
  DescribeNetworkInterfacesCommand,
  DescribeSecurityGroupRulesCommand,
  DescribeSecurityGroupsCommand,
  type Instance,
  type NetworkInterface,
} from "@aws-sdk/client-ec2";
import type { Obstacle } from "../../engine/cloud-kind.js";
import type { Aws } from "../clients.js";
import { usingInstances } from "../rds/database-users.js";
import { LIVING_INSTANCES } from "./vpc-contents.js";

type Ec2 = Aws["ec2"];

/** Returns everything for which AWS refuses the removal of a security group. */
export function usersOfGroup(id: string): (aws: Aws) => Promise<Obstacle[]> {
  return async (aws) => {
    const Filters = [{ Name: "group-id", Values: [id] }];
    const { NetworkInterfaces = [] } = await aws.ec2.send(new DescribeNetworkInterfacesCommand({ Filters }));
    const instanceIds = NetworkInterfaces.flatMap(({ Attachment }) => Attachment?.InstanceId ?? []);
    const others = NetworkInterfaces.filter(({ Attachment }) => !Attachment?.InstanceId);
    // RDS keeps an interface for a while after its database: only the database is in the way.
    const isOfDatabase = ({ Description }: NetworkInterface) => Description === "RDSNetworkInterface";
    const lists = await Promise.all([
      instances(aws.ec2, instanceIds),
      others.some(isOfDatabase) ? databasesIn(aws.rds, id) : [],
      rulesAbout(aws.ec2, id),
    ]);
    const remaining = others.filter((each) => !isOfDatabase(each));
    return [
      ...lists.flat(),
      ...remaining.map(({ NetworkInterfaceId = "" }) => ({
        fact: `is used by network interface ${NetworkInterfaceId}`,
        ids: [NetworkInterfaceId],
      })),
    ];
  };
}

async function instances(ec2: Ec2, ids: string[]): Promise<Obstacle[]> {
  if (ids.length === 0) return [];
  const Filters = [
    { Name: "instance-id", Values: [...new Set(ids)] },
    { Name: "instance-state-name", Values: LIVING_INSTANCES },
  ];
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ Filters }));
  return Reservations.flatMap(({ Instances = [] }) => Instances).map((instance) => {
    const { InstanceId: id = "" } = instance;
    const scalingGroup = launchingGroup(instance);
    return { fact: `is used by instance ${id}`, ids: scalingGroup ? [id, scalingGroup] : [id] };
  });
}

/** The scaling group of Gantry's that launched an instance and terminates it. One that was attached by hand lacks the tag. */
function launchingGroup({ Tags = [] }: Instance): string | undefined {
  const tag = (name: string) => Tags.find(({ Key }) => Key === name)?.Value;
  return tag("gantry:resource")?.startsWith("auto_scaling_group/") ? tag("aws:autoscaling:groupName") : undefined;
}

function databasesIn(rds: Aws["rds"], groupId: string): Promise<Obstacle[]> {
  return usingInstances(rds, ({ VpcSecurityGroups = [] }) =>
    VpcSecurityGroups.some(({ VpcSecurityGroupId }) => VpcSecurityGroupId === groupId),
  );
}

async function rulesAbout(ec2: Ec2, id: string): Promise<Obstacle[]> {
  const groups = (Name: string) => ec2.send(new DescribeSecurityGroupsCommand({ Filters: [{ Name, Values: [id] }] }));
  const groupLists = await Promise.all([groups("ip-permission.group-id"), groups("egress.ip-permission.group-id")]);
  const referrers = new Set(
    groupLists.flatMap(({ SecurityGroups = [] }) => SecurityGroups.map(({ GroupId = "" }) => GroupId)),
  );
  referrers.delete(id);
  if (referrers.size === 0) return [];
  const Filters = [{ Name: "group-id", Values: [...referrers] }];
  const { SecurityGroupRules = [] } = await ec2.send(new DescribeSecurityGroupRulesCommand({ Filters }));
  const rules = SecurityGroupRules.filter(({ ReferencedGroupInfo }) => ReferencedGroupInfo?.GroupId === id);
  return rules.map(({ SecurityGroupRuleId: ruleId = "", GroupId }) => ({
    fact: `is used by rule ${ruleId} of security group ${GroupId}`,
    ids: [ruleId],
  }));
}
