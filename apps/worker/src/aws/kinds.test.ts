import { randomUUID } from "node:crypto";
import { CreateDBParameterGroupCommand } from "@aws-sdk/client-rds";
import type { AwsAccount } from "@gantry/local-stack";
import { aws as control } from "@gantry/test/support/account";
import type { Intent } from "../engine/cloud-kind.js";
import { CreateCalls, type HeldLease, withLease } from "../engine/with-lease.js";
import { classifyAwsError, codeOf } from "./aws-errors.js";
import { type Aws, awsOpener } from "./clients.js";
import { defaultSubnets } from "./ec2/default-vpc.js";
import type { InstanceParams } from "./ec2/instance.js";
import { internetGateway } from "./ec2/internet-gateway.js";
import { keyPair } from "./ec2/key-pair.js";
import { launchTemplate } from "./ec2/launch-template.js";
import { natAddress } from "./ec2/nat-gateway.js";
import { securityGroup } from "./ec2/security-group.js";
import { snapshot } from "./ec2/snapshot.js";
import { subnet } from "./ec2/subnet.js";
import { volume } from "./ec2/volume.js";
import { vpc } from "./ec2/vpc.js";
import { instanceProfile } from "./iam/instance-profile.js";
import { role } from "./iam/role.js";
import { kinds } from "./kinds.js";
import { dbCluster } from "./rds/db-cluster.js";
import { dbInstance } from "./rds/db-instance.js";
import { dbParameterGroup } from "./rds/db-parameter-group.js";
import { dbSubnetGroup } from "./rds/db-subnet-group.js";
import { findServerImage, type ServerImage } from "./ssm/server-image.js";

let account: AwsAccount;
let aws: Aws;
let vpcId: string;
let roleName: string;
let groupId: string;
let volumeId: string;
let snapshotId: string;
let launchTemplateId: string;
let subnetId: string;
const launch = { imageId: "ami-03cf127a", flavor: "m3.medium" };
const firstBoot = { username: "deploy", authorized_keys: [], role: "app", environment: "main", volumes: [] };
const image = { rootDevice: "/dev/xvda", rootSizeGb: 8 };
const open = { dedicated: false, encryptedRoot: false };
const TEMPLATE = { ...launch, ...image, ...open, securityGroupIds: [], keyName: null, profileArn: null, firstBoot };

const trustPolicy = {
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Principal: { Service: ["ec2.amazonaws.com"] }, Action: "sts:AssumeRole" }],
};
const document = { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "s3:ListBucket", Resource: "*" }] };
const PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB3xJx3I+VjEXhSJmBxWd+o3wIwd1DoziEe1EvGbhLqR";
const SERVER_IMAGE = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64";
const DISK = { zone: "us-east-1a", sizeGb: 1, volumeType: "gp3", encrypted: false };

beforeAll(async () => {
  account = await control.createAccount();
  aws = awsOpener(10, { serverImage: SERVER_IMAGE })("us-east-1", account);
  vpcId = await vpc.create(aws, intentOf({ cidr: "10.0.0.0/16", tenancy: "default" }));
  groupId = await securityGroup.create(aws, intentOf({ name: "prepared", description: "Prepared", vpcId }));
  volumeId = await volume.create(aws, intentOf(DISK));
  snapshotId = await snapshot.create(aws, intentOf({ volumeId, description: "Prepared" }));
  launchTemplateId = await launchTemplate.create(aws, intentOf(TEMPLATE));
  [subnetId = ""] = await defaultSubnets()(aws);
  roleName = await role.create(aws, intentOf({ name: "prepared", path: "/", trustPolicy }));
});

function intentOf<Params>(params: Params): Intent<Params> {
  const token = randomUUID();
  return { token, params, tags: { "gantry:token": token, Name: "conformance" } };
}

// The parameters of one object of each kind, which may refer to the objects that this file creates first.
const parameters: Record<string, () => object> = {
  vpc: () => ({ cidr: "10.1.0.0/16", tenancy: "default" }),
  internet_gateway: () => ({ vpcId: otherVpcId }),
  nat_address: () => ({}),
  nat_gateway: () => ({ subnetId: natSubnetId, allocationId: natAllocationId }),
  route_table: () => ({ vpcId }),
  subnet: () => ({ vpcId, cidr: "10.0.1.0/24", zone: "us-east-1a" }),
  key_pair: () => ({ name: "conformance", publicKey: PUBLIC_KEY }),
  security_group: () => ({ name: "conformance", description: "Conformance", vpcId }),
  security_group_rule: () => ({ groupId, source: { cidr: "10.0.0.0/8" }, protocol: "tcp", fromPort: 22, toPort: 22 }),
  address: () => ({}),
  volume: () => ({ ...DISK, iops: 3000, throughput: 125 }),
  snapshot: () => ({ volumeId, description: "Conformance" }),
  image: () => ({ snapshotId, rootDevice: "/dev/xvda", architecture: "x86_64" }),
  instance: () => ({
    ...instanceParams,
    flavor: "m4.large",
    securityGroupIds: [groupId],
    dedicated: true,
    encryptedRoot: true,
  }),
  launch_template: () => TEMPLATE,
  auto_scaling_group: () => ({ launchTemplateId, subnetIds: [subnetId], maximumSize: 2 }),
  policy: () => ({ name: "conformance", path: "/gantry/", document }),
  role: () => ({ name: "conformance", path: "/gantry/", trustPolicy, inlinePolicy: { name: "inline", document } }),
  instance_profile: () => ({ name: "conformance", path: "/", roleName }),
  db_subnet_group: () => ({ subnetIds }),
  db_cluster: () => clusterParams(),
  db_instance: () => ({ ...ofMaster, ...ofStorage, ...windows, ...groups() }),
  db_snapshot: () => ({ instanceId }),
  db_cluster_snapshot: () => ({ clusterId }),
};

const windows = { backupWindow: "03:00-04:00", maintenanceWindow: "sun:04:30-sun:05:00" };
const ofMaster = { flavor: "db.m4.large", zone: "us-east-1a", engine: "mysql", version: "5.7.17", username: "gantry" };
const ofStorage = { storageGb: 20, storageType: "gp2", isEncrypted: false, multiAz: false, backupRetentionDays: 7 };
const groups = () => ({ subnetGroup, securityGroupId: groupId, extendedSupport: false });
let subnetIds: string[];
let subnetGroup: string;
let instanceId: string;
let clusterId: string;

beforeAll(async () => {
  const blocks = [
    { cidr: "10.0.10.0/24", zone: "us-east-1a" },
    { cidr: "10.0.11.0/24", zone: "us-east-1b" },
  ];
  subnetIds = await Promise.all(blocks.map((block) => subnet.create(aws, intentOf({ vpcId, ...block }))));
  subnetGroup = await dbSubnetGroup.create(aws, intentOf({ subnetIds }));
  instanceId = await dbInstance.create(aws, intentOf({ ...ofMaster, ...ofStorage, ...windows, ...groups() }));
  clusterId = await dbCluster.create(aws, intentOf(clusterParams()));
});

const clusterParams = () => {
  const ofBackups = { backupRetentionDays: 7, backupWindow: windows.backupWindow };
  return { version: "5.6.10a", username: "gantry", isEncrypted: false, ...groups(), ...ofBackups };
};

let natSubnetId: string;
let natAllocationId: string;
beforeAll(async () => {
  natAllocationId = await natAddress.create(aws, intentOf({}));
  const vpcId = await vpc.create(aws, intentOf({ cidr: "10.3.0.0/16", tenancy: "default" }));
  const attached = intentOf({ vpcId });
  await internetGateway.sync?.(aws, await internetGateway.create(aws, attached), attached);
  natSubnetId = await subnet.create(aws, intentOf({ vpcId, cidr: "10.3.0.0/24", zone: "us-east-1a" }));
});

let otherVpcId: string;
beforeAll(async () => {
  otherVpcId = await vpc.create(aws, intentOf({ cidr: "10.2.0.0/16", tenancy: "default" }));
});

// The parameters of an instance, without its security group.
let instanceParams: ServerImage & Pick<InstanceParams, "subnetId" | "keyName" | "instanceProfile">;
beforeAll(async () => {
  const image = (await findServerImage()(aws)) as ServerImage;
  const subnetId = await subnet.create(aws, intentOf({ vpcId, cidr: "10.0.2.0/24", zone: "us-east-1a" }));
  const keyName = await keyPair.create(aws, intentOf({ name: "shared", publicKey: PUBLIC_KEY }));
  const profile = intentOf({ name: "shared", path: "/", roleName });
  instanceParams = { ...image, subnetId, keyName, instanceProfile: await instanceProfile.create(aws, profile) };
});

// Gantry creates no parameter groups any more, and removes those of earlier versions.
const created = [...kinds.values()].filter(({ kind }) => kind !== dbParameterGroup.kind);

const unlimited: HeldLease = { duringChange: (change) => change(), countCall: () => {} };

it("has a row for every kind", () => {
  expect(Object.keys(parameters).sort()).toEqual(created.map(({ kind }) => kind).sort());
});

describe.each(created)("$kind", (kind) => {
  it("is created by a call that the lease outlasts, is found then, may be synced again, and is not found after its removal, which may be repeated", async () => {
    const intent = intentOf(parameters[kind.kind]?.());
    expect(await kind.find(aws, intent)).toEqual([]);
    const calls = new CreateCalls(unlimited);
    const id = await withLease(calls, () => kind.create(aws, intent));
    expect(calls.mayHaveCreated).toBe(true);
    expect(await kind.find(aws, intent)).toEqual([id]);
    await kind.sync?.(aws, id, intent);
    await kind.sync?.(aws, id, intent);
    expect(await kind.find(aws, intent)).toEqual([id]);
    await kind.remove(aws, id, intent.params);
    expect(await kind.find(aws, intent)).toEqual([]);
    await kind.remove(aws, id, intent.params);
  });

  it("is synced and removed even if the response of any one call is lost", async () => {
    const { accessKeyId } = account;
    const seq = async () => (await control.calls({ accessKeyId })).at(-1)?.seq ?? 0;
    const runLifecycle = async (lost?: string) => {
      const intent = intentOf(parameters[kind.kind]?.());
      const id = await kind.create(aws, intent);
      const since = await seq();
      const rule = lost && (await control.loseResponse(lost, { times: 1, accessKeyId }));
      await withRetry(async () => kind.sync?.(aws, id, intent));
      await withRetry(() => kind.remove(aws, id, intent.params));
      if (rule) await control.clear({ id: rule });
      expect(await kind.find(aws, intent)).toEqual([]);
      return new Set((await control.calls({ accessKeyId, since })).map(({ action }) => action));
    };
    for (const action of await runLifecycle()) await runLifecycle(action);
  });

  if (kind.strategy === "tag") return;
  it("is not created twice by a second create with the same intent", async () => {
    const intent = intentOf(parameters[kind.kind]?.());
    const id = await kind.create(aws, intent);
    const second = await kind.create(aws, intent).catch(codeOf);
    expect(second).toMatch(new RegExp(`^${id}$|AlreadyExists`));
    expect(await kind.find(aws, intent)).toEqual([id]);
    await kind.remove(aws, id, intent.params);
  });
});

/** Repeats an action after a transient error, as a Request does. */
async function withRetry(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (classifyAwsError(error)?.kind === "permanent") throw error;
    await action();
  }
}

it("removes the parameter group of a database that an earlier version created, even repeatedly", async () => {
  const intent = intentOf({});
  const DBParameterGroupName = `gantry-${intent.token}`;
  const group = { DBParameterGroupName, DBParameterGroupFamily: "postgres16", Description: "Earlier" };
  await aws.rds.send(new CreateDBParameterGroupCommand(group));
  expect(await dbParameterGroup.find(aws, intent)).toEqual([DBParameterGroupName]);
  await dbParameterGroup.remove(aws, DBParameterGroupName, {});
  await dbParameterGroup.remove(aws, DBParameterGroupName, {});
  expect(await dbParameterGroup.find(aws, intent)).toEqual([]);
});

it("does not find a role of the same name with another token", async () => {
  const foreign = intentOf({ name: "taken", path: "/", trustPolicy });
  await role.create(aws, foreign);
  expect(await role.find(aws, { ...foreign, token: randomUUID() })).toEqual([]);
});
