import { deepEqual } from "node:assert/strict";
import {
  CreateSnapshotCommand,
  CreateVolumeCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  DescribeTagsCommand,
} from "@aws-sdk/client-ec2";
import { createAddress, createServer, createSnapshot, createVolume } from "@gantry/test/support/api";
import { createProvisionedEnvironment } from "@gantry/test/support/firewall";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf } from "@gantry/test/support/work";
import { describeAddress } from "../../aws/ec2/address.js";
import { describeInstance } from "../../aws/ec2/describe-instance.js";
import { describeOwnImage } from "../../aws/ec2/image.js";
import { setSecurityGroups } from "../../aws/ec2/instance-settings.js";

/** A server with a data volume, not created yet. The firewall of its environment exists. */
async function newServer({ db, customer }: ScenarioContext) {
  const environment = await createProvisionedEnvironment(db, customer);
  const pending = { state: "pending", provisionedId: null, provisionedAt: null };
  const { id } = await createServer(db, environment, pending);
  const disk = { serverId: id, name: "data", device: "/dev/xvdf", mount: "/data", sizeGb: 4 };
  await createVolume(db, customer.provider, { ...disk, state: "pending", provisionedId: null });
  return { type: "server", id } as const;
}

/** A server, not created yet, whose root disk restores the snapshot of another server's root disk. */
export async function newServerFromRoot(context: ScenarioContext) {
  const { db, customer, aws } = context;
  const resource = await newServer(context);
  const { environment, ...server } = await db.server.findUniqueOrThrow({
    where: { id: resource.id },
    include: { environment: true },
  });
  const disk = { name: "root", device: "/dev/xvda", mount: "/", sizeGb: 20 };
  const { VolumeId } = await aws.ec2.send(new CreateVolumeCommand({ AvailabilityZone: server.location, Size: 20 }));
  const { SnapshotId = "" } = await aws.ec2.send(new CreateSnapshotCommand({ VolumeId }));
  const source = await createServer(db, environment);
  const root = await createVolume(db, customer.provider, { ...disk, serverId: source.id });
  const { id: snapshotId } = await createSnapshot(db, source, root, { provisionedId: SnapshotId });
  await db.server.update({ where: { id: server.id }, data: { snapshotId } });
  const restored = { serverId: server.id, fromSnapshot: SnapshotId, provisionedId: null, state: "pending" };
  await createVolume(db, customer.provider, { ...disk, ...restored });
  return resource;
}

function requestServer(
  { db, customer }: ScenarioContext,
  server: { type: "server"; id: number },
  addressId: number | null = null,
) {
  return createRequestOf(db, customer, "provision_server", server, { addressId });
}

/** A server that runs. */
async function runningServer(context: ScenarioContext) {
  const server = await newServer(context);
  await requestServer(context, server);
  await context.finishRequests();
  return server;
}

/** An allocated address without a server. */
async function provisionedAddress({ db, customer, finishRequests }: ScenarioContext): Promise<number> {
  const { id } = await createAddress(db, customer.provider, { ipAddress: null, provisionedId: null });
  await createRequestOf(db, customer, "address_provision", { type: "address", id }, {});
  await finishRequests();
  return id;
}

/** The record of a server, and its instance in AWS. */
async function readServer({ db, aws }: ScenarioContext, id: string | number) {
  const server = await db.server.findUniqueOrThrow({
    where: { id: Number(id) },
    include: { volumes: true, environment: true },
  });
  return { server, instance: await describeInstance(server.provisionedId ?? "")(aws) };
}

const SERVER = { instance: 1, volume: 2 };

export const serverScenarios = {
  provision_server: {
    createRequest: async (context) =>
      requestServer(context, await newServer(context), await provisionedAddress(context)),
    afterSuccess: { ...SERVER, address: 1 },
    afterFailure: { address: 1 },
  },
  deprovision_server: {
    createRequest: async (context) => {
      const server = await newServer(context);
      await requestServer(context, server, await provisionedAddress(context));
      await context.finishRequests();
      return createRequestOf(context.db, context.customer, "deprovision_server", server, { force: true });
    },
    afterSuccess: { address: 1 },
    verify: async (context, { resourceId }) => {
      const { db, aws, customer } = context;
      const { server } = await readServer(context, resourceId);
      deepEqual([server.state, server.addressId], ["terminated", null]);
      deepEqual(
        [server, ...server.volumes].filter(({ deletedAt }) => !deletedAt),
        [],
      );
      const address = await db.address.findFirstOrThrow({ where: { accountId: customer.accountId } });
      const found = await describeAddress(address.provisionedId ?? "")(aws);
      deepEqual([address.serverId, address.deletedAt], [null, null]);
      deepEqual(found, { ipAddress: address.ipAddress });
    },
  },
  instance_update: {
    createRequest: async (context) => {
      const { db, aws, customer } = context;
      const resource = await runningServer(context);
      const { server } = await readServer(context, resource.id);
      await db.server.update({ where: { id: resource.id }, data: { name: "renamed" } });
      const { SecurityGroups } = await aws.ec2.send(
        new DescribeSecurityGroupsCommand({ Filters: [{ Name: "group-name", Values: ["default"] }] }),
      );
      await setSecurityGroups(server.provisionedId ?? "", [SecurityGroups?.[0]?.GroupId ?? ""])(aws);
      return createRequestOf(db, customer, "instance_update", resource, { action: "apply" });
    },
    afterSuccess: SERVER,
    verify: async (context, { resourceId }) => {
      const { db, aws } = context;
      const { server, instance } = await readServer(context, resourceId);
      const where = { id: server.environment.firewallId ?? 0 };
      const firewall = await db.firewall.findUniqueOrThrow({ where });
      deepEqual(instance?.securityGroupIds, [firewall.provisionedId]);
      const Filters = [
        { Name: "resource-id", Values: [server.provisionedId ?? ""] },
        { Name: "key", Values: ["Name"] },
      ];
      const { Tags } = await aws.ec2.send(new DescribeTagsCommand({ Filters }));
      deepEqual(
        Tags?.map(({ Value }) => Value),
        [`${server.environment.name} renamed ${server.id}`],
      );
    },
  },
  modify_server: {
    createRequest: async (context) => {
      const server = await runningServer(context);
      const input = { flavor: "m3.large", apply: "now" } as const;
      return createRequestOf(context.db, context.customer, "modify_server", server, input);
    },
    afterSuccess: SERVER,
    afterFailure: SERVER,
    verify: async (context, { resourceId, input }) => {
      const { server, instance } = await readServer(context, resourceId);
      const { flavor, pendingFlavor, state, publicHostname } = server;
      deepEqual([flavor, pendingFlavor, state], [input.flavor, null, "running"]);
      deepEqual(
        [instance?.flavor, instance?.state, instance?.publicHostname],
        [input.flavor, "running", publicHostname],
      );
    },
  },
  discover_server: {
    createRequest: async (context) => {
      const { db, customer } = context;
      const server = await runningServer(context);
      const wrong = { state: "stopped", privateHostname: null, devices: [], disappearedAt: new Date() };
      await db.server.update({ where: { id: server.id }, data: wrong });
      return createRequestOf(db, customer, "discover_server", server, {});
    },
    afterSuccess: SERVER,
    verify: async (context, { resourceId }) => {
      const { server, instance } = await readServer(context, resourceId);
      const { state, privateHostname, publicHostname } = server;
      deepEqual(
        { state, privateHostname, publicHostname },
        {
          state: "running",
          privateHostname: instance?.privateHostname,
          publicHostname: instance?.publicHostname,
        },
      );
      const devices = server.devices as { device: string }[];
      deepEqual(
        devices.map(({ device }) => device),
        instance?.blockDevices.map(({ device }) => device),
      );
      deepEqual(server.disappearedAt, null);
    },
  },
} satisfies Scenarios;

/** The scenarios of a server from the snapshot of a root disk. */
export const rootSnapshotScenarios = {
  provision_server: {
    createRequest: async (context) => requestServer(context, await newServerFromRoot(context)),
    afterSuccess: { ...SERVER, image: 1 },
    afterFailure: {},
    verify: async (context, { resourceId }) => {
      const { server } = await readServer(context, resourceId);
      const query = new DescribeInstancesCommand({ InstanceIds: [server.provisionedId ?? ""] });
      const { Reservations } = await context.aws.ec2.send(query);
      deepEqual(Reservations?.[0]?.Instances?.[0]?.ImageId, server.imageId);
      const root = server.volumes.filter(({ mount }) => mount === "/");
      deepEqual(
        root.map(({ state, device, sizeGb }) => ({ state, device, sizeGb })),
        [{ state: "in-use", device: "/dev/xvda", sizeGb: 20 }],
      );
    },
  },
  deprovision_server: {
    createRequest: async (context) => {
      const server = await newServerFromRoot(context);
      await requestServer(context, server);
      await context.finishRequests();
      return createRequestOf(context.db, context.customer, "deprovision_server", server, { force: false });
    },
    afterSuccess: {},
    verify: async (context, { resourceId }) => {
      const { server } = await readServer(context, resourceId);
      const image = await describeOwnImage(server.imageId ?? "")(context.aws);
      deepEqual([server.state, server.imageId !== null, image], ["terminated", true, undefined]);
    },
  },
} satisfies Scenarios;
