import { randomUUID } from "node:crypto";
import {
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  UpdateAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import {
  CreateVolumeCommand,
  CreateVpcCommand,
  DeleteVolumeCommand,
  DeleteVpcCommand,
  ModifyVolumeCommand,
  RevokeSecurityGroupIngressCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { CreateDBInstanceCommand, DeleteDBInstanceCommand, ModifyDBInstanceCommand } from "@aws-sdk/client-rds";
import { aws, createTestAccount, REGION, REGIONS, type TestAccount } from "@gantry/test/support/account";
import { createDatabaseServer, createEnvironment, createServer, createVolume } from "@gantry/test/support/api";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { maintenanceWindowIn, requestDatabaseService } from "@gantry/test/support/databases";
import { launchInstance } from "@gantry/test/support/instance";
import { createOrphanNatGateway } from "@gantry/test/support/nat-gateway";
import { accountTags, createOrphanImage, createOrphanVolume } from "@gantry/test/support/orphans";
import { until } from "@gantry/test/support/until";
import { createRequestOf, requestIamRole, requestNetwork } from "@gantry/test/support/work";
import { findGroup } from "../aws/auto-scaling/group.js";
import { latestRefresh, setTemplateVersion, startRefresh } from "../aws/auto-scaling/refreshes.js";
import { awsOpener } from "../aws/clients.js";
import { copyVersion } from "../aws/ec2/template-versions.js";
import { detachPolicy, putInlinePolicy, setTrust } from "../aws/iam/role-changes.js";
import { requestGroup } from "../workflows/auto-scaling-groups/auto-scaling-groups.scenarios.js";
import { newFirewall, requestDefaultFirewall } from "../workflows/firewalls/firewalls.scenarios.js";
import { OTHER_TRUST } from "../workflows/iam-roles/iam-roles.scenarios.js";
import type { DriftLimits } from "./region-claim.js";
import { scanSteps } from "./scan-steps.js";
import { scanDrift } from "./scanner.js";

const context = awsTestContext();
const limits: DriftLimits = { periodSeconds: 3600, calls: 1000, quietSeconds: 0 };

const client = () => awsOpener(10)(REGION, context.customer.awsAccount);

// A busy machine may have postponed the end of an earlier test's scan, which would go on in this one.
beforeEach(async () => {
  const later = new Date(Date.now() + 24 * 60 * 60 * 1000);
  await context.db.driftRegion.updateMany({ data: { dueAt: later } });
});

/** Ends the current period of the account's regions. */
async function makeDue({ accountId }: Pick<TestAccount, "accountId"> = context.customer) {
  await scanDrift({ ...context.engine, isStopping: () => true }, limits);
  await context.db.driftRegion.updateMany({
    where: { accountId },
    data: { dueAt: new Date(0), periodEndsAt: new Date(0) },
  });
}

async function scan(changes: Partial<DriftLimits> = {}, customer = context.customer) {
  await makeDue(customer);
  await scanDrift(context.engine, { ...limits, ...changes });
}

const regionOf = ({ accountId } = context.customer) =>
  context.db.driftRegion.findFirstOrThrow({ where: { accountId } });
const driftOf = ({ accountId } = context.customer) =>
  context.db.drift.findMany({ where: { accountId }, orderBy: { cloudId: "asc" } });
const orphansOf = async (customer = context.customer) =>
  (await driftOf(customer)).filter(({ finding }) => finding === "orphan").map(({ cloudId }) => cloudId);
// The calls for what AWS offers, which have pages.
const OFFERS = /InstanceType|EngineVersions|InstanceOptions/;
const callsOf = async ({ awsAccount } = context.customer) => {
  const calls = await aws.calls({ accessKeyId: awsAccount.accessKeyId });
  return calls.filter(({ action }) => action.startsWith("Describe") && !OFFERS.test(action));
};

async function runningServer() {
  const environment = await createEnvironment(context.db, context.customer.provider);
  const provisionedId = await launchInstance(context.customer);
  const { id } = await createServer(context.db, environment, { provisionedId });
  await scan();
  return { id, provisionedId };
}
const serverOf = (id: number) => context.db.server.findUniqueOrThrow({ where: { id } });
const stop = (id: string) => client().ec2.send(new StopInstancesCommand({ InstanceIds: [id] }));

const createOrphan = (tags?: Record<string, string>) => createOrphanVolume(context.customer, tags);

it("records a firewall rule that AWS no longer has, until its record is deleted", async () => {
  const firewall = await newFirewall(context);
  await context.outcome(await requestDefaultFirewall(context, firewall));
  await scan();
  expect(await driftOf()).toEqual([]);
  const rule = await context.db.firewallRule.findFirstOrThrow({ where: { firewallId: firewall.id, portRange: "443" } });
  const { webGroupId } = await context.db.firewall.findUniqueOrThrow({ where: { id: firewall.id } });
  const revoked = { GroupId: webGroupId ?? "", SecurityGroupRuleIds: [rule.provisionedId ?? ""] };
  await client().ec2.send(new RevokeSecurityGroupIngressCommand(revoked));
  await scan();
  expect(await driftOf()).toMatchObject([
    { finding: "disappeared", cloudId: rule.provisionedId, resourceType: "firewall_rule", resourceId: String(rule.id) },
  ]);
  await context.db.firewallRule.update({ where: { id: rule.id }, data: { deletedAt: new Date() } });
  await scan();
  expect(await driftOf()).toEqual([]);
});

it("finds an instance that was terminated outside of Gantry", async () => {
  const { id, provisionedId } = await runningServer();
  expect(await serverOf(id)).toMatchObject({ state: "running", disappearedAt: null });
  await client().ec2.send(new TerminateInstancesCommand({ InstanceIds: [provisionedId] }));
  await scan();
  const gone = await serverOf(id);
  expect(gone).toMatchObject({ state: "terminated", disappearedAt: expect.any(Date), deletedAt: null });
  const noticed = { finding: "disappeared", kind: "instance", cloudId: provisionedId, resourceId: String(id) };
  expect(await driftOf()).toContainEqual(expect.objectContaining({ ...noticed, after: { ...observedState(gone) } }));
  await scan();
  expect(await serverOf(id)).toEqual(gone);

  await context.db.server.update({ where: { id }, data: { deletedAt: new Date() } });
  await scan();
  expect(await driftOf()).toEqual([]);
});

function observedState({ state, privateHostname, publicHostname, flavor }: Awaited<ReturnType<typeof serverOf>>) {
  return { state, private_hostname: privateHostname, public_hostname: publicHostname, flavor };
}

it("shows an instance that was stopped by hand, with the earlier values of its record", async () => {
  const { id, provisionedId } = await runningServer();
  const before = observedState(await serverOf(id));
  await stop(provisionedId);
  await scan();
  const after = observedState(await serverOf(id));
  expect(after.state).toBe("stopped");
  const found = await driftOf();
  expect(found).toMatchObject([{ finding: "changed", resourceType: "server", resourceId: String(id), before, after }]);
});

it("updates a disappeared server when AWS shows its instance again", async () => {
  const { id } = await runningServer();
  await context.db.server.update({ where: { id }, data: { disappearedAt: new Date(), state: "terminated" } });
  await scan();
  expect(await serverOf(id)).toMatchObject({ state: "running", disappearedAt: null });
  expect((await driftOf()).map(({ finding }) => finding)).toEqual(["changed"]);
});

it("records a database's endpoint, and its disappearance", async () => {
  const { id, provisionedId } = await createDatabaseServer(context.db, context.customer.provider, {
    provisionedId: `db-${randomUUID()}`,
    endpoint: "postgres://elsewhere:5432",
    state: "available",
  });
  const DBInstanceIdentifier = provisionedId ?? "";
  await client().rds.send(
    new CreateDBInstanceCommand({
      ...{ DBInstanceIdentifier, Engine: "postgres", DBInstanceClass: "db.m3.medium", AllocatedStorage: 20 },
      ...{ MasterUsername: "gantry", MasterUserPassword: "password" },
    }),
  );
  await scan();
  const row = () => context.db.databaseServer.findUniqueOrThrow({ where: { id } });
  expect((await row()).endpoint).toMatch(new RegExp(`^postgres://${provisionedId}\\..*:5432$`));
  await client().rds.send(new DeleteDBInstanceCommand({ DBInstanceIdentifier, SkipFinalSnapshot: true }));
  await scan();
  expect(await row()).toMatchObject({ state: "deleted", disappearedAt: expect.any(Date), deletedAt: null });
});

it("gives a record without a CA the one that RDS shows, and reports only a later change", async () => {
  const { masterId: id, requestId } = await requestDatabaseService(context.db, context.env, context.customer);
  await context.outcome(requestId);
  const row = () => context.db.databaseServer.findUniqueOrThrow({ where: { id } });
  const reported = () => context.db.drift.count({ where: { resourceId: id } });
  await context.db.databaseServer.update({ where: { id }, data: { certificateAuthority: null } });
  await scan();
  expect([(await row()).certificateAuthority, await reported()]).toEqual(["rds-ca-rsa2048-g1", 0]);
  const CACertificateIdentifier = "rds-ca-ecc384-g1";
  const DBInstanceIdentifier = (await row()).provisionedId ?? "";
  const change = { DBInstanceIdentifier, CACertificateIdentifier, ApplyImmediately: true };
  await client().rds.send(new ModifyDBInstanceCommand(change));
  await until(async () => {
    await scan();
    return (await row()).certificateAuthority === CACertificateIdentifier;
  });
  expect(await reported()).toBe(1);
});

it("gives a database what waited for its maintenance window, and reports none of it as drift", async () => {
  const { db, env, customer, outcome } = context;
  const {
    id: serviceId,
    masterId: id,
    requestId,
  } = await requestDatabaseService(db, env, customer, {
    version: "5.7.16",
  });
  await db.databaseServer.update({ where: { id }, data: { maintenanceWindow: maintenanceWindowIn(3) } });
  await outcome(requestId);
  const change = {
    flavor: "db.m4.xlarge",
    version: "5.7.17",
    storageGb: 40,
    backupRetentionPeriod: 9,
    apply: "window",
  } as const;
  const resource = { type: "database_server", id } as const;
  await outcome(await createRequestOf(db, customer, "modify_database_server", resource, change));
  const row = () => db.databaseServer.findUniqueOrThrow({ where: { id } });
  const waiting = {
    flavor: "db.m4.large",
    version: "5.7.16",
    storageGb: 20,
    backupRetentionPeriod: 9,
    state: "available",
  };
  await scan();
  expect(await row()).toMatchObject({
    ...waiting,
    pending: { flavor: "db.m4.xlarge", version: "5.7.17", storage: 40 },
  });

  await aws.setClockOffset(7 * 24 * 60 * 60_000, { accountId: customer.awsAccount.accountId });
  const states = new Set<string>();
  await until(async () => {
    await scan();
    const { state, pending } = await row();
    states.add(state);
    return pending === null;
  });
  expect(states).toContain("upgrading");
  const done = {
    flavor: "db.m4.xlarge",
    version: "5.7.17",
    storageGb: 40,
    backupRetentionPeriod: 9,
    state: "available",
  };
  expect(await row()).toMatchObject(done);
  const service = await db.databaseService.findUniqueOrThrow({ where: { id: serviceId } });
  expect(service).toMatchObject({ masterFlavor: "db.m4.xlarge", version: "5.7.17" });
  expect((await driftOf()).filter(({ finding }) => finding === "changed")).toEqual([]);
});

/** A volume of 10 GB and type gp3, in AWS and as a record. */
async function gp3Volume() {
  const shape = { AvailabilityZone: "us-east-1a", Size: 10, VolumeType: "gp3" as const };
  const { VolumeId = "" } = await client().ec2.send(new CreateVolumeCommand(shape));
  const made = { provisionedId: VolumeId, sizeGb: 10, volumeType: "gp3", state: "available" };
  const { id } = await createVolume(context.db, context.customer.provider, made);
  return { id, VolumeId, row: () => context.db.volume.findUniqueOrThrow({ where: { id } }) };
}

it("records what was changed of a volume outside of Gantry, but not a change that AWS still makes", async () => {
  const { db, customer } = context;
  const { id, VolumeId, row } = await gp3Volume();
  const changes = async () => (await driftOf()).filter(({ finding }) => finding === "changed");
  const { accountId } = customer.awsAccount;
  await scan();
  await aws.setTransitionDelays({ volumeModificationMs: 3_600_000 }, { accountId });
  await client().ec2.send(new ModifyVolumeCommand({ VolumeId, Size: 20, Iops: 4000 }));
  const wanted = { sizeGb: 20, iops: 4000 };
  await db.volume.update({ where: { id }, data: wanted });
  await scan();
  expect([await row(), await changes()]).toMatchObject([wanted, []]);
  await db.volume.update({ where: { id }, data: { sizeGb: 10, iops: null } });
  await aws.setTransitionDelays({}, { accountId });
  await until(async () => {
    await scan();
    return (await row()).sizeGb === 20;
  });
  expect(await row()).toMatchObject({ sizeGb: 20, iops: 4000, throughput: null });
  expect(await changes()).toMatchObject([
    { resourceId: String(id), before: { size_gb: "10", iops: null }, after: { size_gb: "20", iops: "4000" } },
  ]);
});

it("records the IOPS of a volume that became io1 outside of Gantry", async () => {
  const { VolumeId, row } = await gp3Volume();
  await client().ec2.send(new ModifyVolumeCommand({ VolumeId, VolumeType: "io1", Iops: 400 }));
  await until(async () => {
    await scan();
    return (await row()).volumeType === "io1";
  });
  expect(await row()).toMatchObject({ iops: 400 });
});

it("records what was changed of a database outside of Gantry, for its service too, but not a change that RDS still makes", async () => {
  const { db, env, customer, outcome } = context;
  const { id: serviceId, masterId: id, requestId } = await requestDatabaseService(db, env, customer);
  await outcome(requestId);
  const changes = async () => (await driftOf()).filter(({ finding }) => finding === "changed");
  await scan();
  expect(await changes()).toEqual([]);
  const { provisionedId } = await db.databaseServer.findUniqueOrThrow({ where: { id } });
  const { accountId } = customer.awsAccount;
  const change = { DBInstanceClass: "db.m4.xlarge", BackupRetentionPeriod: 9 };
  const DBInstanceIdentifier = provisionedId ?? "";
  await client().rds.send(new ModifyDBInstanceCommand({ DBInstanceIdentifier, ApplyImmediately: true, ...change }));
  await aws.setTransitionDelays({ databaseMs: 3_600_000 }, { accountId });
  await db.databaseServer.update({ where: { id }, data: { flavor: "db.m4.xlarge", backupRetentionPeriod: 9 } });
  await scan();
  const row = () => db.databaseServer.findUniqueOrThrow({ where: { id } });
  expect(await row()).toMatchObject({ flavor: "db.m4.xlarge", state: "modifying" });
  await aws.setTransitionDelays({}, { accountId });
  await db.databaseServer.update({ where: { id }, data: { flavor: "db.m4.large", backupRetentionPeriod: 7 } });
  await until(async () => {
    await scan();
    return (await row()).state === "available";
  });
  expect(await row()).toMatchObject({ flavor: "db.m4.xlarge", backupRetentionPeriod: 9 });
  expect(await db.databaseService.findUniqueOrThrow({ where: { id: serviceId } })).toMatchObject({
    masterFlavor: "db.m4.xlarge",
  });
  expect(await changes()).toMatchObject([{ resourceId: id, after: { flavor: "db.m4.xlarge" } }]);
});

it("records what was changed of a scaling group outside of Gantry, but follows its desired size without a finding", async () => {
  const { db, outcome } = context;
  const { groupId: id, requestId } = await requestGroup(context);
  await outcome(requestId);
  const row = () => db.autoScalingGroup.findUniqueOrThrow({ where: { id } });
  const found = async () => (await driftOf()).filter(({ resourceId }) => resourceId === id);
  const AutoScalingGroupName = (await row()).provisionedId ?? "";
  const { autoScaling } = client();
  await autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, DesiredCapacity: 3 }));
  await scan();
  expect([await row(), await found()]).toMatchObject([{ desiredCapacity: 3, flavor: "m3.medium" }, []]);

  await autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, MaxSize: 5, DesiredCapacity: 4 }));
  const { AutoScalingGroups } = await autoScaling.send(
    new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [AutoScalingGroupName] }),
  );
  const templateId = AutoScalingGroups?.[0]?.LaunchTemplate?.LaunchTemplateId ?? "";
  await copyVersion(templateId, { from: "1", flavor: "m3.large", token: randomUUID() })(client());
  await scan();
  const sizes = { minimum_size: "2", maximum_size: "3", desired_capacity: "3", flavor: "m3.medium" };
  expect(await row()).toMatchObject({ maximumSize: 5, desiredCapacity: 4, flavor: "m3.large" });
  expect(await found()).toMatchObject([
    {
      finding: "changed",
      kind: "auto_scaling_group",
      before: sizes,
      after: { ...sizes, maximum_size: "5", desired_capacity: "4", flavor: "m3.large" },
    },
  ]);

  await autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName, ForceDelete: true }));
  await scan();
  expect(await row()).toMatchObject({ disappearedAt: expect.any(Date), deletedAt: null });
  expect((await found()).map(({ finding }) => finding)).toEqual(expect.arrayContaining(["changed", "disappeared"]));
});

it("compares the flavor that a scaling group launches only once AWS has replaced its instances", async () => {
  const { db, customer, outcome } = context;
  const { groupId: id, requestId } = await requestGroup(context);
  await outcome(requestId);
  const row = () => db.autoScalingGroup.findUniqueOrThrow({ where: { id } });
  const name = (await row()).provisionedId ?? "";
  const group = await findGroup(client(), name);
  const templateId = group?.LaunchTemplate?.LaunchTemplateId ?? "";
  await setTemplateVersion(name, { templateId, version: "1" })(client());
  const { accountId } = customer.awsAccount;
  await aws.setTransitionDelays({ instanceRefreshMs: 3_600_000 }, { accountId });
  const version = await copyVersion(templateId, { from: "1", flavor: "m3.large", token: randomUUID() })(client());
  await startRefresh(name, { templateId, version, minHealthyPercentage: 0 })(client());
  await scan();
  expect(await row()).toMatchObject({ flavor: "m3.medium" });
  await aws.setTransitionDelays({}, { accountId });
  await until(async () => !(await latestRefresh(name)(client()))?.isActive);
  await scan();
  expect((await driftOf()).filter(({ resourceId }) => resourceId === id)).toMatchObject([
    { before: { flavor: "m3.medium" }, after: { flavor: "m3.large" } },
  ]);
});

it("records what was changed of a role outside of Gantry, and a role of the same name as gone", async () => {
  const { db, customer, outcome } = context;
  const inlined = await requestIamRole(db, customer);
  const owning = await requestIamRole(db, customer, { name: "owning", userManagedPolicy: true });
  for (const { requestId } of [inlined, owning]) await outcome(requestId);
  const row = (id: string) => db.iamRole.findUniqueOrThrow({ where: { id } });
  const found = async () => (await driftOf()).filter(({ resourceType }) => resourceType === "iam_role");
  await scan();
  expect(await found()).toEqual([]);

  const { name, policy, assumeRolePolicyDocument: trust } = await row(inlined.id);
  const document = { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "s3:*", Resource: "*" }] };
  await putInlinePolicy(name, document)(client());
  await setTrust(name, OTHER_TRUST)(client());
  const own = await row(owning.id);
  await detachPolicy(own.name, own.policyArn ?? "")(client());
  await scan();
  const changed = { policy: document, policyArn: null, assumeRolePolicyDocument: OTHER_TRUST };
  expect([await row(inlined.id), await row(owning.id)]).toMatchObject([
    changed,
    { policy: own.policy, policyArn: null, assumeRolePolicyDocument: trust },
  ]);
  const byRole = new Map((await found()).map((finding) => [finding.resourceId, finding]));
  const [before, after] = [byRole.get(inlined.id)?.before, byRole.get(inlined.id)?.after] as Record<string, string>[];
  expect([before?.policy, after?.policy].map((text) => JSON.parse(text ?? ""))).toEqual([policy, document]);
  expect(byRole.get(owning.id)).toMatchObject({ before: { policy_arn: own.policyArn }, after: { policy_arn: null } });
  await scan();
  expect(await found()).toHaveLength(2);

  await db.iamRole.update({ where: { id: owning.id }, data: { provisionedId: "AROAANOTHER" } });
  await scan();
  expect(await row(owning.id)).toMatchObject({ disappearedAt: expect.any(Date), deletedAt: null });
});

it("finds a volume that disappeared", async () => {
  const { id } = await createVolume(context.db, context.customer.provider);
  await scan();
  const row = await context.db.volume.findUniqueOrThrow({ where: { id } });
  expect(row).toMatchObject({ state: "deleted", disappearedAt: expect.any(Date), deletedAt: null });
});

it("reports an object with the account's tag and no owner, never removes it, and deletes the finding once it no longer exists", async () => {
  const VolumeId = await createOrphan();
  const vpc = new CreateVpcCommand({
    CidrBlock: "10.9.0.0/16",
    TagSpecifications: accountTags("vpc", context.customer),
  });
  const VpcId = (await client().ec2.send(vpc)).Vpc?.VpcId ?? "";
  await scan();
  const [first] = await driftOf();
  await scan();
  expect(await driftOf()).toMatchObject([
    { finding: "orphan", kind: "volume", cloudId: VolumeId, tags: { "gantry:account": context.customer.accountId } },
    { finding: "orphan", kind: "vpc", cloudId: VpcId, before: null, resourceId: null },
  ]);
  const [again] = await driftOf();
  expect([again?.id, again?.createdAt]).toEqual([first?.id, first?.createdAt]);
  const made = await aws.inventory(context.customer.awsAccount, { kinds: ["vpc", "volume"] });
  expect([made.vpc, made.volume].map((found) => found.map(({ id }) => id))).toEqual([[VpcId], [VolumeId]]);

  await client().ec2.send(new DeleteVolumeCommand({ VolumeId }));
  await client().ec2.send(new DeleteVpcCommand({ VpcId }));
  await scan();
  expect(await driftOf()).toEqual([]);
});

it("reports nothing that a Request created", async () => {
  const { requestId } = await requestNetwork(context.db, context.customer, { privateSubnets: true });
  const database = await requestDatabaseService(context.db, context.env, context.customer);
  const { id } = await createVolume(context.db, context.customer.provider, { provisionedId: null, state: "pending" });
  await createRequestOf(context.db, context.customer, "volume_provision", { type: "volume", id }, {});
  for (const each of [requestId, database.requestId]) {
    expect(await context.outcome(each)).toMatchObject({ successful: true });
  }
  await scan();
  expect(await driftOf()).toEqual([]);
});

it("reports a NAT gateway without an owner until AWS has deleted it", async () => {
  const { id, remove } = await createOrphanNatGateway(context.customer);
  await scan();
  expect(await driftOf()).toMatchObject([{ finding: "orphan", kind: "nat_gateway", cloudId: id }]);
  await remove();
  await scan();
  expect(await driftOf()).toEqual([]);
});

it("reports the image of a server once the server's record is deleted", async () => {
  const { id } = await runningServer();
  const { imageId } = await createOrphanImage(context.customer, { "gantry:resource": `server/${id}` });
  await context.db.server.update({ where: { id }, data: { imageId } });
  await scan();
  expect(await orphansOf()).toEqual([]);
  await context.db.server.update({ where: { id }, data: { deletedAt: new Date() } });
  await scan();
  expect(await orphansOf()).toContain(imageId);
});

it("reports the second of two objects that carry the token of one ledger row", async () => {
  const { id } = await createVolume(context.db, context.customer.provider, { provisionedId: null, state: "pending" });
  await context.outcome(
    await createRequestOf(context.db, context.customer, "volume_provision", { type: "volume", id }, {}),
  );
  const { volume } = await aws.inventory(context.customer.awsAccount, { kinds: ["volume"] });
  const second = await createOrphan(volume[0]?.tags);
  await scan();
  expect(await orphansOf()).toEqual([second]);
});

it("ignores objects that AWS created along with a recorded one, and leaves out those of a Request until it is quiet", async () => {
  const request = await createRequestOf(context.db, context.customer, "discover_server", { type: "server", id: 1 }, {});
  await context.db.request.update({ where: { id: request }, data: { nextRunAt: new Date(Date.now() + 3_600_000) } });
  const row = { accountId: context.customer.accountId, providerId: context.customer.provider.id, region: REGION };
  const instance = { ...row, resourceType: "server", resourceId: "2", kind: "instance", key: "", params: {} };
  const { id } = await context.db.cloudObject.create({
    data: { ...instance, id: randomUUID(), requestId: request, cloudId: "i-1" },
  });
  const along = await createOrphan({ "gantry:token": id, "gantry:resource": "server/2" });
  const ofRequest = [
    await createOrphan({ "gantry:request": request }),
    await createOrphan({ "gantry:resource": "server/1" }),
  ];
  await scan();
  expect(await orphansOf()).toEqual([]);
  expect(new Set((await regionOf()).leftOut)).toEqual(new Set(ofRequest));
  await context.db.cloudObject.update({ where: { id }, data: { removedAt: new Date() } });
  await context.db.request.update({ where: { id: request }, data: { finishedAt: new Date() } });
  await scan({ quietSeconds: 3600 });
  expect(await orphansOf()).toEqual([]);
  expect(new Set((await regionOf()).leftOut)).toEqual(new Set([along, ...ofRequest]));
  await scan();
  expect(await orphansOf()).toHaveLength(3);
  expect((await regionOf()).leftOut).toEqual([]);
});

it("reports no object of another account, nor of another installation, in the same AWS account", async () => {
  const otherAccount = await createTestAccount(context.db, context.env, context.customer.awsAccount);
  await createOrphan({ "gantry:account": randomUUID() });
  const theirs = await createOrphan({ "gantry:account": otherAccount.accountId });
  const mine = await createOrphan();
  await scan();
  await scan({}, otherAccount);
  expect([await orphansOf(), await orphansOf(otherAccount)]).toEqual([[mine], [theirs]]);
});

it("writes to no record that a Request works on, or worked on within the quiet period", async () => {
  const { id, provisionedId } = await runningServer();
  const request = await createRequestOf(context.db, context.customer, "discover_server", { type: "server", id }, {});
  const later = new Date(Date.now() + 3_600_000);
  await context.db.request.update({ where: { id: request }, data: { nextRunAt: later, startedAt: new Date() } });
  await stop(provisionedId);
  const before = await serverOf(id);
  await scan();
  expect(await serverOf(id)).toEqual(before);
  await context.db.request.update({ where: { id: request }, data: { finishedAt: new Date() } });
  await scan({ quietSeconds: 3600 });
  expect([await serverOf(id), (await regionOf()).leftOut]).toEqual([before, [provisionedId]]);
  await scan();
  expect([(await serverOf(id)).state, (await regionOf()).leftOut]).toEqual(["stopped", []]);
});

it.each([
  [
    "a record that was written during the call to AWS",
    (id: number) => context.db.server.update({ where: { id }, data: { name: "renamed" } }),
  ],
  [
    "any record once another worker holds the region",
    async () =>
      context.db.driftRegion.update({ where: { id: (await regionOf()).id }, data: { fence: { increment: 1 } } }),
  ],
])("does not write to %s", async (_name, change) => {
  const { id, provisionedId } = await runningServer();
  await stop(provisionedId);
  await makeDue();
  let requested = 0;
  const connect: typeof context.engine.connect = async (...location) => {
    if (requested++ === 0) await change(id);
    return context.engine.connect(...location);
  };
  await scanDrift({ ...context.engine, connect }, limits);
  expect(requested).toBeGreaterThan(0);
  expect((await serverOf(id)).state).toBe("running");
});

it("yields while a Request of the account is due, and resumes afterwards", async () => {
  await createOrphan();
  const otherAccount = await createTestAccount(context.db, context.env);
  const due = await createRequestOf(context.db, context.customer, "discover_server", { type: "server", id: 1 }, {});
  await scan();
  expect([await callsOf(), (await regionOf()).lastScannedAt]).toEqual([[], null]);
  await scan({}, otherAccount);
  expect((await regionOf(otherAccount)).lastScannedAt).not.toBeNull();

  await context.db.request.update({ where: { id: due }, data: { finishedAt: new Date() } });
  await makeDue();
  let requested = 0;
  const connect: typeof context.engine.connect = async (...location) => {
    if (++requested === 2) await context.db.request.update({ where: { id: due }, data: { finishedAt: null } });
    return context.engine.connect(...location);
  };
  await scanDrift({ ...context.engine, connect }, limits);
  expect([requested, (await callsOf()).length]).toEqual([2, 2]);
  expect(await regionOf()).toMatchObject({ leaseUntil: null, lastScannedAt: null, cursor: expect.anything() });
});

it("makes no more calls in a period than its budget, and resumes in the next one where it stopped", async () => {
  await createOrphan();
  await scan({ calls: 3 });
  expect(await callsOf()).toHaveLength(3);
  await scanDrift(context.engine, { ...limits, calls: 3 });
  await context.db.driftRegion.updateMany({ data: { dueAt: new Date(0) }, where: { id: (await regionOf()).id } });
  await scanDrift(context.engine, { ...limits, calls: 3 });
  expect(await callsOf()).toHaveLength(3);
  expect(await regionOf()).toMatchObject({ lastScannedAt: null });
  for (let period = 0; period < 5; period++) await scan({ calls: 3 });
  expect((await regionOf()).lastScannedAt).not.toBeNull();
  expect(await orphansOf()).toHaveLength(1);
  const { length } = scanSteps.filter(({ name }) => name.startsWith("tagged"));
  const firstScan = (await callsOf()).slice(0, length).map(({ action }) => action);
  expect([firstScan.length, new Set(firstScan).size]).toEqual([length, length]);
});

/** The calls that read roles, so far. */
const roleCalls = async ({ awsAccount: { accessKeyId } } = context.customer) => {
  const calls = await aws.calls({ accessKeyId });
  return calls.filter(({ action }) => /^(GetRole|GetRolePolicy|ListAttachedRolePolicies)$/.test(action)).length;
};

it("counts every call for a role against its budget, and continues with the role at which it stopped", async () => {
  const { db, customer, outcome } = context;
  for (const name of ["one", "two", "three"]) await outcome((await requestIamRole(db, customer, { name })).requestId);
  const before = await roleCalls();
  const counts: number[] = [];
  for (let period = 0; period < 3; period++) {
    await scan({ calls: 4 });
    counts.push((await roleCalls()) - before);
  }
  // Each role takes three; the fourth is repeated in the next period, and in the third one the scan goes on.
  expect(counts).toEqual([4, 8, 11]);
});

it("compares a role in the first region of its provider only", async () => {
  const { db, customer, outcome } = context;
  const { accountId, provider } = customer;
  const { requestId } = await requestIamRole(db, customer);
  await outcome(requestId);
  const [first] = REGIONS.toSorted();
  await db.providerLocation.create({
    data: { id: randomUUID(), accountId, providerId: provider.id, locationId: first ?? "", locationName: "First" },
  });
  const { name } = await db.iamRole.findFirstOrThrow({ where: { accountId } });
  await setTrust(name, OTHER_TRUST)(client());
  const before = await roleCalls();
  await scan();
  expect(await db.driftRegion.count({ where: { accountId, lastScannedAt: { not: null } } })).toBe(2);
  expect(await driftOf()).toMatchObject([{ finding: "changed", resourceType: "iam_role", region: first }]);
  expect((await roleCalls()) - before).toBe(3);
});

it("lets only one worker scan a region at a time", async () => {
  await makeDue();
  await aws.delay("DescribeVpcs", 300, { accessKeyId: context.customer.awsAccount.accessKeyId });
  await Promise.all([1, 2, 3, 4].map(() => scanDrift(context.engine, limits)));
  const calls = await callsOf();
  expect(new Set(calls.map(({ action }) => action)).size).toBe(calls.length);
  expect(await regionOf()).toMatchObject({ fence: 1, lastScannedAt: expect.any(Date) });
});

it("claims a region for longer than any call to AWS can take", async () => {
  await makeDue();
  const outlasts: boolean[] = [];
  const connect: typeof context.engine.connect = async (...location) => {
    const { id } = await regionOf();
    const [lease] = await context.db.$queryRaw<[{ outlasts: boolean }]>`
      SELECT lease_until > now() + interval '1 hour' AS outlasts FROM drift_regions WHERE id = ${id}::uuid`;
    outlasts.push(lease.outlasts);
    return context.engine.connect(...location);
  };
  // Two hours, so that no busy machine takes the difference.
  await scanDrift({ ...context.engine, connect, callSeconds: 7200 }, limits);
  expect([outlasts.length > 0, new Set(outlasts)]).toEqual([true, new Set([true])]);
});

it("records what it could not read, and scans the rest", async () => {
  const { accessKeyId } = context.customer.awsAccount;
  await aws.refuse("DescribeDBInstances", { code: "AccessDenied", status: 403, accessKeyId });
  const orphan = await createOrphan();
  await scan();
  expect(await regionOf()).toMatchObject({
    message: "The provider's credentials lack the permission rds:DescribeDBInstances in AWS",
    lastScannedAt: null,
  });
  expect(await orphansOf()).toEqual([orphan]);
  await aws.clear({ accessKeyId });
  await scan();
  expect(await regionOf()).toMatchObject({ message: null, lastScannedAt: expect.any(Date) });
});

it("makes no more calls in a period in which AWS throttled it", async () => {
  const { accessKeyId } = context.customer.awsAccount;
  await aws.refuse("DescribeInstances", { code: "RequestLimitExceeded", status: 503, accessKeyId });
  await scan();
  expect(await callsOf()).toHaveLength(1);
  const { dueAt, periodEndsAt, leaseUntil } = await regionOf();
  expect([dueAt, leaseUntil]).toEqual([periodEndsAt, null]);
});
