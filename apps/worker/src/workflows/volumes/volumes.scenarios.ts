import { deepEqual } from "node:assert/strict";
import { createEnvironment, createServer, createVolume } from "@gantry/test/support/api";
import { launchInstance } from "@gantry/test/support/instance";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf } from "@gantry/test/support/work";
import { describeVolume } from "../../aws/ec2/volume.js";

/** A volume that is not created yet. */
async function newVolume({ db, customer }: ScenarioContext) {
  const wanted = { provisionedId: null, state: "pending", sizeGb: 4, volumeType: "io1", iops: 100 };
  const { id } = await createVolume(db, customer.provider, wanted);
  return { type: "volume", id } as const;
}

async function provisionedVolume(context: ScenarioContext) {
  const volume = await newVolume(context);
  await createRequestOf(context.db, context.customer, "volume_provision", volume, {});
  await context.finishRequests();
  return volume;
}

async function attachment(context: ScenarioContext) {
  const { db, customer } = context;
  const volume = await provisionedVolume(context);
  const environment = await createEnvironment(db, customer.provider);
  const server = await createServer(db, environment, { provisionedId: await launchInstance(customer) });
  const input = { serverId: server.id, device: "/dev/xvdf" };
  return { volume, server, requestId: await createRequestOf(db, customer, "attach_volume", volume, input) };
}

/** A server with an attached volume. */
export async function serverWithVolume(context: ScenarioContext) {
  const { volume, server } = await attachment(context);
  await context.finishRequests();
  return { volume, server };
}

/** The record of a volume, and the volume in AWS. */
async function readVolume({ db, aws }: ScenarioContext, id: string) {
  const row = await db.volume.findUniqueOrThrow({ where: { id: Number(id) }, include: { server: true } });
  return { row, found: await describeVolume(row.provisionedId ?? "")(aws) };
}

export const volumeScenarios = {
  volume_provision: {
    createRequest: async (context) =>
      createRequestOf(context.db, context.customer, "volume_provision", await newVolume(context), {}),
    afterSuccess: { volume: 1 },
    afterFailure: {},
  },
  attach_volume: {
    createRequest: async (context) => (await attachment(context)).requestId,
    afterSuccess: { volume: 1, instance: 1 },
    verify: async (context, { resourceId, input: { serverId, device } }) => {
      const { row, found } = await readVolume(context, resourceId);
      deepEqual([row.serverId, row.device, row.state], [serverId, device, "in-use"]);
      deepEqual(found?.attachment, { instanceId: row.server?.provisionedId, device, state: "attached" });
    },
  },
  detach_volume: {
    createRequest: async (context) => {
      const { volume } = await serverWithVolume(context);
      return createRequestOf(context.db, context.customer, "detach_volume", volume, {});
    },
    afterSuccess: { volume: 1, instance: 1 },
    verify: async (context, { resourceId }) => {
      const { row, found } = await readVolume(context, resourceId);
      deepEqual([row.serverId, row.device, row.mount, row.state], [null, null, null, "available"]);
      deepEqual([found?.attachment, found?.state], [undefined, "available"]);
    },
  },
  modify_volume: {
    createRequest: async (context) => {
      const { volume } = await serverWithVolume(context);
      const input = { sizeGb: 8, volumeType: "gp3", iops: 4000, throughput: 250 };
      return createRequestOf(context.db, context.customer, "modify_volume", volume, input);
    },
    afterSuccess: { volume: 1, instance: 1 },
    verify: async (context, { resourceId, input }) => {
      const { row, found } = await readVolume(context, resourceId);
      const { sizeGb, volumeType, iops, throughput } = row;
      deepEqual({ sizeGb, volumeType, iops, throughput }, input);
      const { sizeGb: size, volumeType: type, iops: speed, throughput: rate } = found ?? {};
      deepEqual({ sizeGb: size, volumeType: type, iops: speed, throughput: rate }, input);
    },
  },
  deprovision_volume: {
    createRequest: async (context) =>
      createRequestOf(context.db, context.customer, "deprovision_volume", await provisionedVolume(context), {}),
    afterSuccess: {},
    verify: async (context, { resourceId }) => {
      const { row, found } = await readVolume(context, resourceId);
      deepEqual([row.deletedAt !== null, row.state, found], [true, "deleted", undefined]);
    },
  },
} satisfies Scenarios;
