import { randomBytes, randomUUID } from "node:crypto";
import { IAM_POLICIES } from "@gantry/aws-facts";
import { type Db, nextIds } from "@gantry/db";
import {
  createNetwork,
  createProvider,
  DATABASE_SERVER,
  environmentKeys,
  REGION,
  type TestApi,
  type TestCaller,
  ZONE,
} from "./api.js";
import { testVault } from "./stack.js";

/** The id of one record of each collection, by the collection's name in paths. */
export type Fixtures = Record<string, string | number>;

/**
 * Fills a caller's account with `each` rows of every kind, as workers would have left them, without a call to AWS. Rows
 * with a parent have the first of its kind, so that every list has `each` entries.
 */
export async function fillAccount({ db }: Pick<TestApi, "db">, caller: TestCaller, each: number): Promise<Fixtures> {
  const { accountId, userId } = caller;
  const provider = await createProvider(db, accountId);
  const own = { accountId, providerId: provider.id };
  const named = Array.from({ length: each }, (_, i) => `${i}-${randomUUID().slice(0, 8)}`);
  const rows = <T>(make: (name: string, i: number) => T): { data: T[] } => ({ data: named.map(make) });
  const inRegion = { ...own, region: REGION };

  const networks = [];
  for (const _ of named) networks.push(await createNetwork(db, provider));
  const [network] = networks as [(typeof networks)[number]];
  const networkId = network.id;
  const [subnet] = await db.subnet.createManyAndReturn(
    rows((name, i) => ({
      id: randomUUID(),
      accountId,
      networkId,
      location: i === 0 ? ZONE : "us-east-1b",
      cidr: `10.0.${i % 256}.${Math.floor(i / 256)}/28`,
      provisionedId: `subnet-${name}`,
    })),
  );
  const [role] = await db.iamRole.createManyAndReturn(
    rows((name) => ({
      ...own,
      id: randomUUID(),
      name,
      arn: `arn:aws:iam::1:role/${name}`,
      policyArn: "arn:aws:iam::1:policy/p",
      provisionedId: `AROA${name}`,
      policy: IAM_POLICIES.KubeyPolicy as object,
      assumeRolePolicyDocument: {
        Version: "2012-10-17",
        Statement: [{ Effect: "Allow", Principal: { Service: ["ec2.amazonaws.com"] }, Action: ["sts:AssumeRole"] }],
      },
    })),
  );
  const [application] = await db.application.createManyAndReturn(
    rows((name) => ({ accountId, name, type: "rails4", language: "ruby", repository: "git@example.com:app.git" })),
  );
  const applicationId = application?.id ?? 0;
  const key = { publicKey: "ssh-ed25519 AAAA", fingerprint: "00:11" };
  const [keypair] = await db.keypair.createManyAndReturn(rows((name) => ({ ...key, userId, name })));
  await db.keypair.createMany(rows((name) => ({ ...key, applicationId, name })));
  const environmentIds = await nextIds(db, "environments", each);
  const encrypted = await Promise.all(environmentIds.map((id) => environmentKeys({ id, accountId })));
  const [environment] = await db.environment.createManyAndReturn(
    rows((name, i) => ({
      ...inRegion,
      ...(encrypted[i] as (typeof encrypted)[number]),
      id: environmentIds[i] as number,
      name,
      networkId,
      vpcProvisionedId: network.provisionedId,
      applicationId,
    })),
  );
  const environmentId = environment?.id ?? 0;
  await db.blueprint.createMany(rows((name) => ({ id: randomUUID(), accountId, environmentId, name, servers: [] })));
  const [server] = await db.server.createManyAndReturn(
    rows((name) => ({
      ...inRegion,
      environmentId,
      networkId,
      subnetId: subnet?.id ?? null,
      iamRoleId: role?.id ?? null,
      name,
      role: "util",
      flavor: "m3.medium",
      location: ZONE,
      state: "running",
      provisionedId: `i-${name}`,
      privateHostname: `${name}.internal`,
      publicHostname: `${name}.example.com`,
      provisionedAt: new Date(),
    })),
  );
  const serverId = server?.id ?? 0;
  const [volume] = await db.volume.createManyAndReturn(
    rows((name) => ({ ...inRegion, serverId, location: ZONE, sizeGb: 25, device: name, provisionedId: `vol-${name}` })),
  );
  const [address] = await db.address.createManyAndReturn(
    rows((name) => ({ ...own, location: REGION, serverId, ipAddress: "192.0.2.1", provisionedId: `eipalloc-${name}` })),
  );
  const [request] = await db.request.createManyAndReturn(
    rows(() => ({
      id: randomUUID(),
      accountId,
      type: "snapshot_server",
      userId,
      resourceType: "server",
      resourceId: String(serverId),
      input: {},
      traceId: randomUUID().replaceAll("-", ""),
      deadlineAt: new Date(),
      startedAt: new Date(),
      finishedAt: new Date(),
      successful: true,
      stage: "snapshots.perform",
    })),
  );
  const requestId = request?.id ?? "";
  await db.requestMessage.createMany(rows((message) => ({ id: randomUUID(), requestId, message })));
  const subject = { ...inRegion, requestId, resourceType: "server", resourceId: String(serverId) };
  await db.cloudObject.createMany(
    rows((key) => ({ ...subject, id: randomUUID(), kind: "snapshot", key, params: {}, cloudId: `snap-${key}` })),
  );
  const [snapshot] = await db.snapshot.createManyAndReturn(
    rows((name) => ({
      ...inRegion,
      environmentId,
      serverId,
      volumeId: volume?.id ?? 0,
      requestId,
      sizeGb: 25,
      provisionedId: `snap-${name}`,
    })),
  );
  const databaseOwn = { ...inRegion, networkId, engine: "postgres", version: "9.6.3", username: "gantry" };
  const serviceKeys = await Promise.all(named.map(() => encryptedRow("database_services", accountId)));
  const databaseServices = await db.databaseService.createManyAndReturn(
    rows((name, i) => ({
      ...databaseOwn,
      ...(serviceKeys[i] as EncryptedRow),
      environmentId,
      name,
      serviceLevel: "community",
      masterFlavor: "db.m3.medium",
      masterMultiAz: false,
    })),
  );
  const databaseServiceId = databaseServices[0]?.id ?? "";
  const addDatabaseServer = async (name: string, databaseServiceId: string) =>
    db.databaseServer.create({
      data: {
        ...databaseOwn,
        ...(await encryptedRow("database_servers", accountId)),
        databaseServiceId,
        ...DATABASE_SERVER,
        endpoint: `postgres://${name}.example.com:5432`,
        provisionedId: name,
      },
    });
  // Each service has a master.
  for (const { id } of databaseServices.slice(1)) await addDatabaseServer(`master-${id}`, id);
  const [databaseServer] = await Promise.all(named.map((name) => addDatabaseServer(name, databaseServiceId)));
  const databaseServerId = databaseServer?.id ?? "";
  const [databaseSnapshot] = await db.databaseServerSnapshot.createManyAndReturn(
    rows((name) => ({
      ...inRegion,
      id: randomUUID(),
      databaseServerId,
      name,
      engine: "postgres",
      version: "9.6.3",
      storageGb: 100,
    })),
  );
  const firewallRow = { ...inRegion, provisionedId: "sg-1" };
  const firewall = await db.firewall.create({ data: { ...firewallRow, environmentId, name: "environment" } });
  await db.firewall.create({ data: { ...firewallRow, databaseServiceId, name: "database" } });
  await db.firewall.createMany(rows((name) => ({ ...firewallRow, name })));
  const [rule] = await db.firewallRule.createManyAndReturn(
    rows((name, i) => ({
      accountId,
      firewallId: firewall.id,
      // The one with an id here allows members: a change of it may name a firewall.
      ...(i === 0 ? { source: String(firewall.id), sourceFirewallId: firewall.id } : { source: "192.0.2.0/24" }),
      portRange: String(i + 1),
      protocol: "tcp",
      provisionedId: `sgr-${name}`,
    })),
  );
  const alarm = { accountId, externalId: "1", name: "load", message: "high", severity: "warning" };
  const [alert] = await db.alert.createManyAndReturn(
    rows(() => ({ ...alarm, id: randomUUID(), environmentId, serverId })),
  );
  await db.alert.createMany(rows(() => ({ ...alarm, id: randomUUID(), databaseServerId })));
  const group = await db.autoScalingGroup.create({
    data: {
      flavor: "t3.medium",
      ...inRegion,
      id: randomUUID(),
      environmentId,
      provisionedId: "group",
      minimumSize: 1,
      maximumSize: 2,
      desiredCapacity: 1,
    },
  });
  await linkEnvironment(db, environmentId, firewall.id, group.id);
  const region = await db.providerLocation.findFirstOrThrow({ where: { providerId: provider.id, parentId: null } });
  const { id, locationId } = region;
  // A worker may have added it meanwhile.
  await db.driftRegion.createMany({
    data: { ...own, id, region: locationId, dueAt: new Date() },
    skipDuplicates: true,
  });
  const [drift] = await db.drift.createManyAndReturn(
    rows((cloudId) => ({ ...inRegion, id: randomUUID(), finding: "orphan", kind: "volume", cloudId })),
  );
  const token = await db.token.create({
    data: { id: randomUUID(), userId, name: "spare", digest: randomBytes(32), scopes: ["read"] },
  });
  const open = { accountId, userId, role: "viewer", expiresAt: new Date(Date.now() + 86_400_000) } as const;
  const [invitation] = await db.invitation.createManyAndReturn(
    rows((name) => ({ ...open, id: randomUUID(), email: `${name}@example.com` })),
  );
  const services = await db.user.createManyAndReturn(
    rows((name) => ({
      id: randomUUID(),
      name,
      email: `${randomUUID()}@service.invalid`,
      service: true,
      passwordHash: "",
    })),
  );
  const serviceIds = services.map(({ id }) => id);
  await db.membership.createMany({
    data: serviceIds.map((userId) => ({ id: randomUUID(), accountId, userId, role: "viewer" as const })),
  });
  const [serviceToken] = await db.token.createManyAndReturn({
    data: serviceIds.map((userId) => ({
      id: randomUUID(),
      userId,
      name: "service",
      digest: randomBytes(32),
      scopes: ["read" as const],
    })),
  });
  const webhookIds = named.map(() => randomUUID());
  const secrets = await Promise.all(webhookIds.map((id) => encryptedSecret("webhooks", "secret", id, accountId)));
  const [webhook] = await db.webhook.createManyAndReturn(
    rows((name, i) => ({
      id: webhookIds[i] as string,
      accountId,
      url: `https://hooks.example.com/${name}`,
      secret: secrets[i] as Uint8Array<ArrayBuffer>,
      baseUrl: "http://127.0.0.1",
      position: 0n,
    })),
  );
  const [delivery] = await db.webhookDelivery.createManyAndReturn(
    rows(() => ({
      id: randomUUID(),
      accountId,
      webhookId: webhook?.id ?? "",
      type: "ping",
      state: "delivered" as const,
      nextAttemptAt: null,
    })),
  );
  const membership = await db.membership.findFirstOrThrow({ where: { accountId, userId } });
  const blueprint = await db.blueprint.findFirstOrThrow({ where: { accountId } });

  return {
    accounts: accountId,
    addresses: address?.id ?? 0,
    alerts: alert?.id ?? "",
    applications: applicationId,
    auto_scaling_groups: group.id,
    blueprints: blueprint.id,
    "database-server-snapshots": databaseSnapshot?.id ?? "",
    "database-servers": databaseServerId,
    "database-services": databaseServiceId,
    deliveries: delivery?.id ?? "",
    drift: drift?.id ?? "",
    environments: environmentId,
    "firewall-rules": rule?.id ?? 0,
    firewalls: firewall.id,
    iam_roles: role?.id ?? "",
    invitations: invitation?.id ?? "",
    keypairs: keypair?.id ?? 0,
    memberships: membership.id,
    networks: networkId,
    "provider-locations": region.id,
    providers: provider.id,
    requests: requestId,
    servers: serverId,
    "service-plans": "community",
    "service-tokens": serviceToken?.id ?? "",
    snapshots: snapshot?.id ?? 0,
    subnets: subnet?.id ?? "",
    tokens: token.id,
    users: userId,
    volumes: volume?.id ?? 0,
    webhooks: webhook?.id ?? "",
  };
}

async function linkEnvironment(db: Db, id: number, firewallId: number, autoScalingGroupId: string): Promise<void> {
  await db.environment.update({ where: { id }, data: { firewallId, autoScalingGroupId } });
}

type EncryptedRow = Awaited<ReturnType<typeof encryptedRow>>;

/** The id of a row with a password that decrypts for it. */
async function encryptedRow(table: string, account: string) {
  const id = randomUUID();
  return { id, password: await encryptedSecret(table, "password", id, account) };
}

function encryptedSecret(table: string, column: string, id: string, account: string) {
  return testVault.encrypt("secret", { table, column, id, account });
}
