import type { AwsError } from "../aws-response.js";
import { all, text, type Xml } from "../xml.js";
import { filter, type Validation, type ValidationContext } from "./validation.js";
import { checkModification } from "./volume-limits.js";

const deleteSecurityGroup: Validation = async (context) => {
  const { call, read } = context;
  const id = call.params.GroupId;
  if (!id) return undefined;
  const [interfaces, groups, databases] = await Promise.all([
    interfacesInUse(context, "group-id", id),
    read("ec2", { Action: "DescribeSecurityGroups" }),
    read("rds", { Action: "DescribeDBInstances" }),
  ]);
  const referrers = all(groups, "securityGroupInfo", "item").filter((group) => text(group, "groupId") !== id);
  const rules = all([...referrers], "ipPermissions", "item").concat(all([...referrers], "ipPermissionsEgress", "item"));
  const used = [
    ...all(
      databases,
      "DBInstances",
      "DBInstance",
      "VpcSecurityGroups",
      "VpcSecurityGroupMembership",
      "VpcSecurityGroupId",
    ),
    ...all(rules, "groups", "item", "groupId"),
  ].includes(id);
  return interfaces.length > 0 || used ? dependencyViolation(`resource ${id} has a dependent object`) : undefined;
};

const deleteSubnet: Validation = async (context) => {
  const { call, read } = context;
  const id = call.params.SubnetId ?? "";
  const [interfaces, databases] = await Promise.all([
    interfacesInUse(context, "subnet-id", id),
    read("rds", { Action: "DescribeDBInstances" }),
  ]);
  const gateways = await natGatewaysInUse(context, (gateway) => text(gateway, "subnetId") === id);
  const subnets = all(databases, "DBInstances", "DBInstance", "DBSubnetGroup", "Subnets", "Subnet", "SubnetIdentifier");
  const message = `The subnet '${id}' has dependencies and cannot be deleted.`;
  return interfaces.length + gateways.length > 0 || subnets.includes(id) ? dependencyViolation(message) : undefined;
};

const deleteVpc: Validation = async (context) => {
  const { call, read } = context;
  const id = call.params.VpcId ?? "";
  const inVpc = (Action: string, name = "vpc-id") => read("ec2", { Action, ...filter(name, id) });
  const [gateways, groups, subnets, tables, lists, endpoints, interfaces, nats] = await Promise.all([
    inVpc("DescribeInternetGateways", "attachment.vpc-id"),
    inVpc("DescribeSecurityGroups"),
    inVpc("DescribeSubnets"),
    inVpc("DescribeRouteTables"),
    inVpc("DescribeNetworkAcls"),
    inVpc("DescribeVpcEndpoints"),
    interfacesInUse(context, "vpc-id", id),
    natGatewaysInUse(context, (gateway) => text(gateway, "vpcId") === id),
  ]);
  const isMain = (table: Xml) => all(table, "associationSet", "item", "main").includes("true");
  const dependents = [
    ...all(gateways, "internetGatewaySet", "item"),
    ...all(groups, "securityGroupInfo", "item").filter((group) => text(group, "groupName") !== "default"),
    ...all(subnets, "subnetSet", "item"),
    ...all(tables, "routeTableSet", "item").filter((table) => !isMain(table)),
    ...all(lists, "networkAclSet", "item").filter((list) => text(list, "default") !== "true"),
    ...all(endpoints, "vpcEndpointSet", "item").filter((endpoint) => text(endpoint, "state") !== "deleted"),
    ...interfaces,
    ...nats,
  ];
  const message = `The vpc '${id}' has dependencies and cannot be deleted.`;
  return dependents.length > 0 ? dependencyViolation(message) : undefined;
};

const attachInternetGateway: Validation = async ({ call, read }) => {
  const { VpcId = "", InternetGatewayId = "" } = call.params;
  const found = await read("ec2", { Action: "DescribeInternetGateways", ...filter("attachment.vpc-id", VpcId) });
  const others = all(found, "internetGatewaySet", "item", "internetGatewayId").filter((id) => id !== InternetGatewayId);
  const message = `Network ${VpcId} already has an internet gateway attached`;
  return others.length > 0 ? { code: "InvalidParameterValue", message } : undefined;
};

const detachInternetGateway: Validation = async (context) => {
  const { call, read } = context;
  const id = call.params.VpcId ?? "";
  const [addresses, interfaces] = await Promise.all([
    read("ec2", { Action: "DescribeAddresses" }),
    read("ec2", { Action: "DescribeNetworkInterfaces", ...filter("vpc-id", id) }),
  ]);
  const inVpc = all(interfaces, "networkInterfaceSet", "item", "networkInterfaceId");
  const mapped = all(addresses, "addressesSet", "item", "networkInterfaceId").filter((id) => id && inVpc.includes(id));
  const message = `Network ${id} has some mapped public address(es). Please unmap those public address(es) before detaching the gateway.`;
  const gateways = await natGatewaysInUse(context, (gateway) => text(gateway, "vpcId") === id);
  return mapped.length + gateways.length > 0 ? dependencyViolation(message) : undefined;
};

const releaseAddress: Validation = async (context) => {
  const { call, read } = context;
  const id = call.params.AllocationId;
  if (!id) return undefined;
  const found = await read("ec2", { Action: "DescribeAddresses", "AllocationId.1": id });
  const [address] = all(found, "addressesSet", "item");
  const message = `Address ${text(address, "publicIp")} is in use.`;
  const ofGateway = (gateway: Xml) => all(gateway, "natGatewayAddressSet", "item", "allocationId").includes(id);
  const isInUse = text(address, "associationId") || (await natGatewaysInUse(context, ofGateway)).length > 0;
  return isInUse ? { code: "InvalidIPAddress.InUse", message } : undefined;
};

const attachVolume: Validation = async ({ call, read, transientState }) => {
  const { VolumeId = "", InstanceId = "" } = call.params;
  const volume = transientState(VolumeId, "volumeMs");
  if (volume) return { code: "IncorrectState", message: `${VolumeId} is not 'available'.` };
  const message = `Instance '${InstanceId}' is not 'running'.`;
  const isUnready = transientState(InstanceId, "instanceMs") || (await isTerminated(read, InstanceId));
  return isUnready ? { code: "IncorrectState", message } : undefined;
};

const associateAddress: Validation = async ({ call, read, transientState }) => {
  const id = call.params.InstanceId ?? "";
  const state = transientState(id, "instanceMs") ?? ((await isTerminated(read, id)) ? "terminated" : undefined);
  const message = `The ${state} instance '${id}' is not in a valid state for this operation.`;
  return state ? { code: "InvalidInstanceID", message } : undefined;
};

async function isTerminated(read: ValidationContext["read"], id: string): Promise<boolean> {
  const found = await read("ec2", { Action: "DescribeInstances", ...filter("instance-id", id) });
  return all(found, "reservationSet", "item", "instancesSet", "item", "instanceState", "name").includes("terminated");
}

const createSnapshot: Validation = async ({ call, transientState }) => {
  const id = call.params.VolumeId ?? "";
  const message = `Volume '${id}' is in the creating state.`;
  return transientState(id, "volumeMs") ? { code: "IncorrectState", message } : undefined;
};

function volumeOf<Type extends string | undefined>(type: Type, size = "", iops = "", throughput = "") {
  const numberOf = (value: string) => (value ? Number(value) : undefined);
  return { type, sizeGib: numberOf(size), iops: numberOf(iops), throughput: numberOf(throughput) };
}

/** Sentences: public issues that quote EC2's refusals, and botocore 1.44.5, read in November 2026. */
const modifyVolume: Validation = async ({ call, read, transientState }) => {
  const id = call.params.VolumeId ?? "";
  if (transientState(id, "volumeMs")) {
    const message = `Volume ${id} must be in the available or in-use state to be modified.`;
    return { code: "IncorrectState", message };
  }
  const found = await read("ec2", { Action: "DescribeVolumes", "VolumeId.1": id });
  const [volume] = all(found, "volumeSet", "item");
  if (!volume) return undefined;
  const { Size, VolumeType, Iops, Throughput } = call.params;
  const current = volumeOf(
    text(volume, "volumeType"),
    text(volume, "size"),
    text(volume, "iops"),
    text(volume, "throughput"),
  );
  return checkModification(current, volumeOf(VolumeType, Size, Iops, Throughput));
};

/** The attributes of an instance that only a stopped one lets change: ModifyInstanceAttribute in botocore 1.44.5. */
const OF_STOPPED = ["InstanceType", "Kernel", "Ramdisk", "UserData", "EbsOptimized"];

const modifyInstance: Validation = async ({ call, read, transientState }) => {
  const { InstanceId = "", Attribute = "" } = call.params;
  const isOfStopped = OF_STOPPED.some(
    (name) => `${name}.Value` in call.params || name.toLowerCase() === Attribute.toLowerCase(),
  );
  if (!isOfStopped) return undefined;
  const found = await read("ec2", { Action: "DescribeInstances", "InstanceId.1": InstanceId });
  const state = text(found, "reservationSet", "item", "instancesSet", "item", "instanceState", "name");
  const message = `The instance '${InstanceId}' is not in the 'stopped' state.`;
  const isStopped = !state || (state === "stopped" && !transientState(InstanceId, "instanceMs"));
  return isStopped ? undefined : { code: "IncorrectInstanceState", message };
};

const registerImage: Validation = async ({ call, transientState }) => {
  const ids = Object.entries(call.params).flatMap(([name, id]) => (name.endsWith(".Ebs.SnapshotId") ? id : []));
  const pending = ids.find((id) => transientState(id, "snapshotMs"));
  return pending ? { code: "IncorrectState", message: `Snapshot '${pending}' is not 'completed'.` } : undefined;
};

const runInstances: Validation = async ({ call, transientState }) => {
  const id = call.params.ImageId ?? "";
  const message = `The AMI ID '${id}' is currently not available`;
  return transientState(id, "imageMs") ? { code: "InvalidAMIID.Unavailable", message } : undefined;
};

const deleteNatGateway: Validation = async ({ call, read }) => {
  const id = call.params.NatGatewayId ?? "";
  const found = await read("ec2", { Action: "DescribeNatGateways", "NatGatewayId.1": id });
  const message = `NAT gateway ${id} was not found`;
  return text(found, "natGatewaySet", "item", "natGatewayId") ? undefined : { code: "NatGatewayNotFound", message };
};

/** The NAT gateways that hold their subnet and their address: also one that is being deleted. */
async function natGatewaysInUse(
  { read, transientState }: ValidationContext,
  concerns: (gateway: Xml) => boolean,
): Promise<Xml[]> {
  const found = await read("ec2", { Action: "DescribeNatGateways" });
  const holds = (gateway: Xml) =>
    text(gateway, "state") === "available" || transientState(text(gateway, "natGatewayId"), "natGatewayMs");
  return all(found, "natGatewaySet", "item").filter((gateway) => holds(gateway) && concerns(gateway));
}

/** Moto keeps the network interface of a terminated instance; AWS removes it with the instance. */
async function interfacesInUse(
  { read, transientState }: ValidationContext,
  name: string,
  value: string,
): Promise<Xml[]> {
  const found = await read("ec2", { Action: "DescribeNetworkInterfaces", ...filter(name, value) });
  const interfaces = all(found, "networkInterfaceSet", "item");
  const instanceOf = (networkInterface: Xml) => text(networkInterface, "attachment", "instanceId");
  const instanceIds = [...new Set(interfaces.map(instanceOf).filter(Boolean))];
  if (instanceIds.length === 0) return interfaces;
  const ids = Object.fromEntries(instanceIds.map((id, index) => [`InstanceId.${index + 1}`, id]));
  const described = await read("ec2", { Action: "DescribeInstances", ...ids });
  const terminated = all(described, "reservationSet", "item", "instancesSet", "item")
    .filter((instance) => text(instance, "instanceState", "name") === "terminated")
    .map((instance) => text(instance, "instanceId"))
    .filter((id) => !transientState(id, "instanceMs"));
  return interfaces.filter((networkInterface) => !terminated.includes(instanceOf(networkInterface)));
}

function dependencyViolation(message: string): AwsError {
  return { code: "DependencyViolation", message };
}

export const ec2: Record<string, Validation> = {
  AssociateAddress: associateAddress,
  AttachInternetGateway: attachInternetGateway,
  AttachVolume: attachVolume,
  CreateSnapshot: createSnapshot,
  DeleteNatGateway: deleteNatGateway,
  DeleteSecurityGroup: deleteSecurityGroup,
  DeleteSubnet: deleteSubnet,
  DeleteVpc: deleteVpc,
  DetachInternetGateway: detachInternetGateway,
  ModifyInstanceAttribute: modifyInstance,
  ModifyVolume: modifyVolume,
  RegisterImage: registerImage,
  ReleaseAddress: releaseAddress,
  RunInstances: runInstances,
};
