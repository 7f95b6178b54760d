import {
  AttachInstancesCommand,
  CreateAutoScalingGroupCommand,
  CreateLaunchConfigurationCommand,
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingInstancesCommand,
  DetachInstancesCommand,
  SetInstanceProtectionCommand,
  UpdateAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import {
  AllocateAddressCommand,
  AssociateAddressCommand,
  AttachInternetGatewayCommand,
  AuthorizeSecurityGroupIngressCommand,
  CreateInternetGatewayCommand,
  CreateNetworkAclCommand,
  CreateRouteTableCommand,
  CreateSecurityGroupCommand,
  CreateSnapshotCommand,
  CreateSubnetCommand,
  CreateVolumeCommand,
  CreateVpcCommand,
  CreateVpcEndpointCommand,
  DeleteSecurityGroupCommand,
  DeleteSnapshotCommand,
  DeleteSubnetCommand,
  DeleteVpcCommand,
  DeregisterImageCommand,
  DescribeImagesCommand,
  DetachInternetGatewayCommand,
  RegisterImageCommand,
  type RegisterImageRequest,
  ReleaseAddressCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import {
  AddRoleToInstanceProfileCommand,
  AttachRolePolicyCommand,
  CreateGroupCommand,
  CreateInstanceProfileCommand,
  CreatePolicyCommand,
  CreateRoleCommand,
  CreateUserCommand,
  DeletePolicyCommand,
  DeleteRoleCommand,
} from "@aws-sdk/client-iam";
import {
  CreateDBClusterCommand,
  CreateDBInstanceCommand,
  CreateDBInstanceReadReplicaCommand,
  CreateDBParameterGroupCommand,
  CreateDBSubnetGroupCommand,
  DeleteDBParameterGroupCommand,
  DeleteDBSubnetGroupCommand,
  ModifyDBClusterCommand,
  ModifyDBInstanceCommand,
  RestoreDBClusterFromSnapshotCommand,
  RestoreDBClusterToPointInTimeCommand,
  RestoreDBInstanceFromDBSnapshotCommand,
  RestoreDBInstanceToPointInTimeCommand,
} from "@aws-sdk/client-rds";
import { awsClients, startAws } from "../testing.js";

let aws: Awaited<ReturnType<typeof startAws>>;
let clients: ReturnType<typeof awsClients>;
let VpcId: string;
let SubnetId: string;
const image = "ami-03cf127a";
const document = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: "*", Resource: "*" }],
});

beforeAll(async () => {
  aws = await startAws();
});
afterAll(() => aws.stop());
beforeEach(async () => {
  clients = awsClients(aws.endpoint, await aws.control.createAccount());
  const { ec2 } = clients;
  VpcId = (await ec2.send(new CreateVpcCommand({ CidrBlock: "10.0.0.0/16" }))).Vpc?.VpcId ?? "";
  SubnetId = await subnet("us-east-1a", "10.0.1.0/24");
});

async function subnet(AvailabilityZone: string, CidrBlock: string): Promise<string> {
  const created = await clients.ec2.send(new CreateSubnetCommand({ VpcId, CidrBlock, AvailabilityZone }));
  return created.Subnet?.SubnetId ?? "";
}

async function group(GroupName: string): Promise<string> {
  const created = await clients.ec2.send(new CreateSecurityGroupCommand({ GroupName, Description: "test", VpcId }));
  return created.GroupId ?? "";
}

async function gateway(): Promise<string> {
  const created = await clients.ec2.send(new CreateInternetGatewayCommand({}));
  return created.InternetGateway?.InternetGatewayId ?? "";
}

async function instance(groups: string[] = []): Promise<string> {
  const size = { MinCount: 1, MaxCount: 1, InstanceType: "t3.micro" as const };
  const placement = { ImageId: image, SubnetId, ...(groups.length > 0 && { SecurityGroupIds: groups }) };
  const created = await clients.ec2.send(new RunInstancesCommand({ ...size, ...placement }));
  return created.Instances?.[0]?.InstanceId ?? "";
}

it("rejects the removal of a security group and a subnet until their instance is terminated", async () => {
  const { ec2 } = clients;
  const GroupId = await group("web");
  const id = await instance([GroupId]);
  const removeGroup = () => ec2.send(new DeleteSecurityGroupCommand({ GroupId }));
  const removeSubnet = () => ec2.send(new DeleteSubnetCommand({ SubnetId }));
  await expect(removeGroup()).rejects.toEqual(awsError("DependencyViolation"));
  await expect(removeSubnet()).rejects.toEqual(awsError("DependencyViolation"));
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  await removeGroup();
  await removeSubnet();
});

it("rejects the removal of a security group that a rule of another group names", async () => {
  const { ec2 } = clients;
  const [named, naming] = [await group("named"), await group("naming")];
  const rule = { IpProtocol: "tcp", FromPort: 22, ToPort: 22, UserIdGroupPairs: [{ GroupId: named }] };
  await ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: naming, IpPermissions: [rule] }));
  const removal = ec2.send(new DeleteSecurityGroupCommand({ GroupId: named }));
  await expect(removal).rejects.toEqual(awsError("DependencyViolation"));
});

it("rejects the removal of a VPC with a security group or a gateway", async () => {
  const { ec2 } = clients;
  await ec2.send(new DeleteSubnetCommand({ SubnetId }));
  const GroupId = await group("web");
  await expect(ec2.send(new DeleteVpcCommand({ VpcId }))).rejects.toEqual(awsError("DependencyViolation"));
  await ec2.send(new DeleteSecurityGroupCommand({ GroupId }));
  const InternetGatewayId = await gateway();
  await ec2.send(new AttachInternetGatewayCommand({ VpcId, InternetGatewayId }));
  await expect(ec2.send(new DeleteVpcCommand({ VpcId }))).rejects.toEqual(awsError("DependencyViolation"));
  await ec2.send(new DetachInternetGatewayCommand({ VpcId, InternetGatewayId }));
  await ec2.send(new DeleteVpcCommand({ VpcId }));
});

it.each<[string, () => Promise<unknown>]>([
  ["subnet", () => subnet("us-east-1b", "10.0.2.0/24")],
  ["route table", () => clients.ec2.send(new CreateRouteTableCommand({ VpcId }))],
  ["network ACL", () => clients.ec2.send(new CreateNetworkAclCommand({ VpcId }))],
  [
    "endpoint",
    () => clients.ec2.send(new CreateVpcEndpointCommand({ VpcId, ServiceName: "com.amazonaws.us-east-1.s3" })),
  ],
])("rejects the removal of a VPC with a %s", async (_name, put) => {
  const { ec2 } = clients;
  await ec2.send(new DeleteSubnetCommand({ SubnetId }));
  await put();
  await expect(ec2.send(new DeleteVpcCommand({ VpcId }))).rejects.toEqual(awsError("DependencyViolation"));
});

it("attaches one gateway to a VPC, and rejects its detachment while an address is mapped", async () => {
  const { ec2 } = clients;
  const InternetGatewayId = await gateway();
  await ec2.send(new AttachInternetGatewayCommand({ VpcId, InternetGatewayId }));
  const second = ec2.send(new AttachInternetGatewayCommand({ VpcId, InternetGatewayId: await gateway() }));
  await expect(second).rejects.toEqual(awsError("InvalidParameterValue"));
  const { AllocationId } = await ec2.send(new AllocateAddressCommand({ Domain: "vpc" }));
  await ec2.send(new AssociateAddressCommand({ AllocationId, InstanceId: await instance() }));
  const detaching = ec2.send(new DetachInternetGatewayCommand({ VpcId, InternetGatewayId }));
  await expect(detaching).rejects.toEqual(awsError("DependencyViolation"));
  const release = ec2.send(new ReleaseAddressCommand({ AllocationId }));
  await expect(release).rejects.toEqual(awsError("InvalidIPAddress.InUse"));
});

it("rejects the removal of a role with a policy or a profile, and of an attached policy", async () => {
  const { iam } = clients;
  await iam.send(new CreateRoleCommand({ RoleName: "r", AssumeRolePolicyDocument: document }));
  await iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: "p" }));
  await iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName: "p", RoleName: "r" }));
  await expect(iam.send(new DeleteRoleCommand({ RoleName: "r" }))).rejects.toEqual(awsError("DeleteConflict", 409));
  const { Policy } = await iam.send(new CreatePolicyCommand({ PolicyName: "own", PolicyDocument: document }));
  const PolicyArn = Policy?.Arn;
  await iam.send(new AttachRolePolicyCommand({ RoleName: "r", PolicyArn }));
  await expect(iam.send(new DeletePolicyCommand({ PolicyArn }))).rejects.toEqual(awsError("DeleteConflict", 409));
});

it("rejects names of IAM that differ only in case, whatever their paths", async () => {
  const { iam } = clients;
  const creates = [
    (RoleName: string, Path: string) => new CreateRoleCommand({ RoleName, Path, AssumeRolePolicyDocument: document }),
    (InstanceProfileName: string, Path: string) => new CreateInstanceProfileCommand({ InstanceProfileName, Path }),
    (PolicyName: string, Path: string) => new CreatePolicyCommand({ PolicyName, Path, PolicyDocument: document }),
    (GroupName: string, Path: string) => new CreateGroupCommand({ GroupName, Path }),
    (UserName: string, Path: string) => new CreateUserCommand({ UserName, Path }),
  ];
  for (const create of creates) {
    const send = (name: string, path: string) => iam.send(create(name, path) as CreateRoleCommand);
    await send("Deploy", "/");
    for (const name of ["deploy", "Deploy"])
      await expect(send(name, "/other/")).rejects.toEqual(awsError("EntityAlreadyExists", 409));
    await send("deployer", "/");
  }
});

it("registers an image once by its name, keeps its snapshot while it exists, and launches only what fits it", async () => {
  const { ec2 } = clients;
  const volume = await ec2.send(new CreateVolumeCommand({ AvailabilityZone: "us-east-1a", Size: 9 }));
  const { SnapshotId } = await ec2.send(new CreateSnapshotCommand({ VolumeId: volume.VolumeId }));
  const DeviceName = "/dev/xvda";
  const facts = {
    RootDeviceName: DeviceName,
    Architecture: "x86_64",
    VirtualizationType: "hvm",
    EnaSupport: true,
  } as const;
  const register = (Name: string, changes: Partial<RegisterImageRequest> = {}, snapshotId = SnapshotId) => {
    const BlockDeviceMappings = [{ DeviceName, Ebs: { SnapshotId: snapshotId } }];
    return ec2.send(new RegisterImageCommand({ ...facts, Name, BlockDeviceMappings, ...changes }));
  };
  const launch = (ImageId: string | undefined) => {
    const size = { MinCount: 1, MaxCount: 1, InstanceType: "t3.micro" as const };
    return ec2.send(new RunInstancesCommand({ ...size, ImageId, SubnetId }));
  };
  const { ImageId } = await register("one");
  const { Images } = await ec2.send(new DescribeImagesCommand({ Owners: ["self"] }));
  expect(Images).toMatchObject([
    { ImageId, Name: "one", BlockDeviceMappings: [{ DeviceName, Ebs: { SnapshotId, VolumeSize: 9 } }] },
  ]);
  await expect(register("one")).rejects.toEqual(awsError("InvalidAMIName.Duplicate"));
  await expect(register("two", {}, "snap-0123456789abcdef0")).rejects.toEqual(awsError("InvalidSnapshot.NotFound"));
  const removeSnapshot = () => ec2.send(new DeleteSnapshotCommand({ SnapshotId }));
  await expect(removeSnapshot()).rejects.toEqual(awsError("InvalidSnapshot.InUse"));
  expect((await launch(ImageId)).Instances).toMatchObject([{ ImageId }]);
  const unfit = [
    ["InvalidParameterValue", { Architecture: "arm64" }],
    ["InvalidParameterCombination", { VirtualizationType: undefined }],
    ["InvalidParameterCombination", { EnaSupport: false }],
  ] as const;
  const images = [ImageId];
  for (const [code, changes] of unfit) {
    const { ImageId: id } = await register(`unfit ${images.length}`, changes as Partial<RegisterImageRequest>);
    await expect(launch(id)).rejects.toEqual(awsError(code));
    images.push(id);
  }
  for (const id of images) await ec2.send(new DeregisterImageCommand({ ImageId: id }));
  await removeSnapshot();
});

it("rejects a second group or launch configuration of one name, and the removal of a group with instances", async () => {
  const { autoScaling } = clients;
  const launch = { LaunchConfigurationName: "lc", ImageId: image, InstanceType: "t3.micro" };
  await autoScaling.send(new CreateLaunchConfigurationCommand(launch));
  const second = autoScaling.send(new CreateLaunchConfigurationCommand(launch));
  await expect(second).rejects.toEqual(awsError("AlreadyExists"));
  const size = { MinSize: 1, MaxSize: 1, DesiredCapacity: 1, AvailabilityZones: ["us-east-1a"] };
  const group = { ...size, AutoScalingGroupName: "g", LaunchConfigurationName: "lc" };
  await autoScaling.send(new CreateAutoScalingGroupCommand(group));
  const twice = autoScaling.send(new CreateAutoScalingGroupCommand(group));
  await expect(twice).rejects.toEqual(awsError("AlreadyExists"));
  const removal = autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: "g" }));
  await expect(removal).rejects.toEqual(awsError("ResourceInUse"));
  await autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: "g", ForceDelete: true }));
});

it("enforces a group's sizes, attaches an instance once, and detaches only members", async () => {
  const { autoScaling } = clients;
  const launch = { LaunchConfigurationName: "lc", ImageId: image, InstanceType: "t3.micro" };
  await autoScaling.send(new CreateLaunchConfigurationCommand(launch));
  const AutoScalingGroupName = "g";
  const created = { AutoScalingGroupName, LaunchConfigurationName: "lc", VPCZoneIdentifier: SubnetId };
  const InstanceIds = [await instance()];
  const member = { AutoScalingGroupName, InstanceIds };
  const create = (MinSize: number, MaxSize: number, DesiredCapacity: number) =>
    autoScaling.send(new CreateAutoScalingGroupCommand({ ...created, MinSize, MaxSize, DesiredCapacity }));
  const update = (sizes: object) =>
    autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, ...sizes }));
  const attach = () => autoScaling.send(new AttachInstancesCommand(member));
  const protect = () => autoScaling.send(new SetInstanceProtectionCommand({ ...member, ProtectedFromScaleIn: true }));
  const detach = (ShouldDecrementDesiredCapacity: boolean) =>
    autoScaling.send(new DetachInstancesCommand({ ...member, ShouldDecrementDesiredCapacity }));
  const expectRejection = (call: Promise<unknown>) => expect(call).rejects.toEqual(awsError("ValidationError"));

  for (const call of [update, attach, protect, detach]) await expectRejection(call(true as never));
  await expectRejection(create(2, 1, 1));
  await expectRejection(create(0, 1, 2));
  await create(0, 0, 0);
  await expectRejection(update({ MinSize: 1 }));
  await expectRejection(attach());
  await update({ MaxSize: 1 });
  for (const call of [protect, detach]) await expectRejection(call(true));
  await attach();
  await expectRejection(attach());
  await protect();
  await update({ MinSize: 1 });
  await expectRejection(detach(true));
  await update({ MinSize: 0 });
  await detach(true);
  await expectRejection(detach(true));
});

it("shows an instance that moved to another group only in that group", async () => {
  const { autoScaling } = clients;
  const launch = { LaunchConfigurationName: "lc", ImageId: image, InstanceType: "t3.micro" };
  await autoScaling.send(new CreateLaunchConfigurationCommand(launch));
  const sizes = { MinSize: 0, MaxSize: 1, DesiredCapacity: 0, VPCZoneIdentifier: SubnetId };
  const InstanceIds = [await instance()];
  const join = async (AutoScalingGroupName: string) => {
    const created = { AutoScalingGroupName, LaunchConfigurationName: "lc" };
    await autoScaling.send(new CreateAutoScalingGroupCommand({ ...created, ...sizes }));
    await autoScaling.send(new AttachInstancesCommand({ AutoScalingGroupName, InstanceIds }));
  };
  await join("first");
  const leave = { AutoScalingGroupName: "first", InstanceIds, ShouldDecrementDesiredCapacity: true };
  await autoScaling.send(new DetachInstancesCommand(leave));
  await join("second");
  const { AutoScalingInstances } = await autoScaling.send(new DescribeAutoScalingInstancesCommand({ InstanceIds }));
  expect(AutoScalingInstances?.map(({ AutoScalingGroupName }) => AutoScalingGroupName)).toEqual(["second"]);
});

it("rejects the removal of a database's groups, and second groups of one name", async () => {
  const { rds } = clients;
  const SubnetIds = [SubnetId, await subnet("us-east-1b", "10.0.2.0/24")];
  const subnets = { DBSubnetGroupName: "subnets", DBSubnetGroupDescription: "test", SubnetIds };
  await rds.send(new CreateDBSubnetGroupCommand(subnets));
  const second = rds.send(new CreateDBSubnetGroupCommand(subnets));
  await expect(second).rejects.toEqual(awsError("DBSubnetGroupAlreadyExists"));
  const settings = { DBParameterGroupName: "settings", DBParameterGroupFamily: "mysql8.0", Description: "test" };
  await rds.send(new CreateDBParameterGroupCommand(settings));
  const login = { MasterUsername: "admin", MasterUserPassword: "long-enough-1" };
  const names = { DBInstanceIdentifier: "db", DBSubnetGroupName: "subnets", DBParameterGroupName: "settings" };
  const size = { DBInstanceClass: "db.t3.micro", Engine: "mysql", AllocatedStorage: 20 };
  await rds.send(new CreateDBInstanceCommand({ ...names, ...size, ...login }));
  const removals = [
    [rds.send(new DeleteDBSubnetGroupCommand({ DBSubnetGroupName: "subnets" })), "InvalidDBSubnetGroupStateFault"],
    [rds.send(new DeleteDBParameterGroupCommand({ DBParameterGroupName: "settings" })), "InvalidDBParameterGroupState"],
  ] as const;
  for (const [removal, code] of removals) await expect(removal).rejects.toEqual(awsError(code));
  const kept = clients.ec2.send(new DeleteSubnetCommand({ SubnetId }));
  await expect(kept).rejects.toEqual(awsError("DependencyViolation"));
  const cluster = { DBClusterIdentifier: "c", Engine: "aurora-mysql", ...login };
  await rds.send(new CreateDBClusterCommand(cluster));
  await expect(rds.send(new CreateDBClusterCommand(cluster))).rejects.toEqual(awsError("DBClusterAlreadyExistsFault"));
});

it("rejects the removal of a security group that only the last of many databases uses", async () => {
  const { ec2, rds } = clients;
  const database = (DBInstanceIdentifier: string, GroupId: string) => {
    const login = { MasterUsername: "admin", MasterUserPassword: "long-enough-1" };
    const size = { DBInstanceClass: "db.t3.micro", Engine: "mysql", AllocatedStorage: 20 };
    return rds.send(
      new CreateDBInstanceCommand({ DBInstanceIdentifier, ...login, ...size, VpcSecurityGroupIds: [GroupId] }),
    );
  };
  const [often, once] = [await group("often"), await group("once")];
  const PAGE = 100;
  for (let n = 0; n < PAGE; n += 1) await database(`db-${n}`, often);
  await database("last", once);
  const removal = ec2.send(new DeleteSecurityGroupCommand({ GroupId: once }));
  await expect(removal).rejects.toEqual(awsError("DependencyViolation"));
});

it("rejects every call that gives a database a security group that is gone, and a group of another VPC", async () => {
  const { ec2, rds } = clients;
  const SubnetIds = [SubnetId, await subnet("us-east-1b", "10.0.2.0/24")];
  const subnets = { DBSubnetGroupName: "Subnets", DBSubnetGroupDescription: "test", SubnetIds };
  await rds.send(new CreateDBSubnetGroupCommand(subnets));
  const login = { MasterUsername: "admin", MasterUserPassword: "long-enough-1" };
  const size = { DBInstanceClass: "db.t3.micro", Engine: "mysql", AllocatedStorage: 20 };
  const database = { ...login, ...size, DBSubnetGroupName: "Subnets" };
  const cluster = { DBClusterIdentifier: "c", Engine: "aurora-mysql" };
  const [used, gone] = [await group("used"), await group("gone")];
  await ec2.send(new DeleteSecurityGroupCommand({ GroupId: gone }));
  const known = { DBInstanceIdentifier: "db", VpcSecurityGroupIds: [used] };
  await rds.send(new CreateDBInstanceCommand({ ...database, ...known }));
  await rds.send(new CreateDBClusterCommand({ ...cluster, ...login, VpcSecurityGroupIds: [used] }));
  const VpcSecurityGroupIds = [used, gone];
  const names = { DBInstanceIdentifier: "new", VpcSecurityGroupIds };
  const ofCluster = { ...cluster, DBClusterIdentifier: "new", VpcSecurityGroupIds };
  const calls = [
    () => rds.send(new CreateDBInstanceCommand({ ...database, ...names })),
    () => rds.send(new CreateDBInstanceReadReplicaCommand({ ...names, SourceDBInstanceIdentifier: "db" })),
    () => rds.send(new RestoreDBInstanceFromDBSnapshotCommand({ ...names, DBSnapshotIdentifier: "s" })),
    () =>
      rds.send(
        new RestoreDBInstanceToPointInTimeCommand({
          TargetDBInstanceIdentifier: "new",
          SourceDBInstanceIdentifier: "db",
          VpcSecurityGroupIds,
        }),
      ),
    () => rds.send(new ModifyDBInstanceCommand({ DBInstanceIdentifier: "db", VpcSecurityGroupIds })),
    () => rds.send(new CreateDBClusterCommand({ ...ofCluster, ...login })),
    () => rds.send(new RestoreDBClusterFromSnapshotCommand({ ...ofCluster, SnapshotIdentifier: "s" })),
    () => rds.send(new RestoreDBClusterToPointInTimeCommand({ ...ofCluster, SourceDBClusterIdentifier: "c" })),
    () => rds.send(new ModifyDBClusterCommand({ DBClusterIdentifier: "c", VpcSecurityGroupIds })),
  ];
  for (const call of calls) await expect(call()).rejects.toEqual(awsError("InvalidParameterValue"));
  VpcId = (await ec2.send(new CreateVpcCommand({ CidrBlock: "10.1.0.0/16" }))).Vpc?.VpcId ?? "";
  const elsewhere = { DBInstanceIdentifier: "new", VpcSecurityGroupIds: [used, await group("elsewhere")] };
  const creation = rds.send(new CreateDBInstanceCommand({ ...database, ...elsewhere }));
  await expect(creation).rejects.toEqual(awsError("InvalidParameterCombination"));
});

function awsError(code: string, status = 400) {
  return expect.objectContaining({ Code: code, $metadata: expect.objectContaining({ httpStatusCode: status }) });
}
