import { randomUUID } from "node:crypto";
import { aws } from "@gantry/test/support/account";
import { createEnvironment, createServer, createVolume } from "@gantry/test/support/api";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { expireLease, runAllToEnd, wakeUp } from "@gantry/test/support/engine";
import { launchInstance } from "@gantry/test/support/instance";
import { until } from "@gantry/test/support/until";
import { createRequestOf } from "@gantry/test/support/work";
import { runRequest } from "../../engine/run.js";

const context = awsTestContext();

/** A server with two volumes, and the Request for a snapshot of each. */
async function requestTwoSnapshots() {
  const { accountId, provider } = context.customer;
  const environment = await createEnvironment(context.db, provider);
  const server = await createServer(context.db, environment, { provisionedId: await launchInstance(context.customer) });
  const requests = [];
  for (const device of ["/dev/xvdf", "/dev/xvdg"]) {
    const { id } = await createVolume(context.db, provider, { provisionedId: null, state: "pending", sizeGb: 4 });
    requests.push(await createRequestOf(context.db, context.customer, "volume_provision", { type: "volume", id }, {}));
    const resource = { type: "volume", id } as const;
    await createRequestOf(context.db, context.customer, "attach_volume", resource, { serverId: server.id, device });
  }
  await runAllToEnd(context.engine, accountId);
  const volumes = await context.db.volume.findMany({ where: { serverId: server.id } });
  const { id: serverId, environmentId, region } = server;
  const common = { accountId, providerId: provider.id, environmentId, serverId, region, requestId: randomUUID() };
  const snapshots = await context.db.snapshot.createManyAndReturn({
    data: volumes.map((volume) => ({ ...common, volumeId: volume.id, sizeGb: volume.sizeGb })),
  });
  const input = { snapshotIds: snapshots.map(({ id }) => id) };
  const resource = { type: "server", id: serverId } as const;
  const requestId = await createRequestOf(context.db, context.customer, "snapshot_server", resource, input);
  return { requestId, snapshots, server };
}

async function resume(requestId: string) {
  await expireLease(context.db, requestId);
  await wakeUp(context.db, requestId);
  await runRequest(context.engine, requestId);
  return context.db.request.findUniqueOrThrow({ where: { id: requestId } });
}

it("takes a snapshot of every volume of a server, and records the progress of each", async () => {
  const { requestId, snapshots, server } = await requestTwoSnapshots();
  expect(snapshots).toMatchObject([
    { state: "starting", progress: 0 },
    { state: "starting", progress: 0 },
  ]);
  const { accountId } = context.customer.awsAccount;
  await aws.setTransitionDelays({ snapshotMs: 600_000 }, { accountId });
  expect(await resume(requestId)).toMatchObject({
    finishedAt: null,
    waitingFor: expect.stringContaining("2 snapshots"),
  });
  const rows = () => context.db.snapshot.findMany({ where: { id: { in: snapshots.map(({ id }) => id) } } });
  expect(await rows()).toMatchObject([{ state: "pending" }, { state: "pending" }]);
  const { snapshot } = await aws.inventory(context.customer.awsAccount, { kinds: ["snapshot"] });
  const environments = snapshot.map(({ tags }) => tags["gantry:environment"]);
  expect(environments).toEqual([1, 2].map(() => String(server.environmentId)));
  await aws.setTransitionDelays({ snapshotMs: 2_000 }, { accountId });
  await until(async () => (await resume(requestId)).finishedAt);
  expect(await rows()).toMatchObject([
    { state: "completed", progress: 100, provisionedId: expect.stringMatching(/^snap-/) },
    { state: "completed", progress: 100, provisionedId: expect.stringMatching(/^snap-/) },
  ]);
});

it("removes its snapshots when it fails, and does not change the server and its volumes", async () => {
  const { requestId, snapshots, server } = await requestTwoSnapshots();
  const { accessKeyId } = context.customer.awsAccount;
  await aws.refuse("CreateSnapshot", { code: "SnapshotLimitExceeded", nth: 2, accessKeyId });
  await runAllToEnd(context.engine, context.customer.accountId);
  const request = await context.db.request.findUniqueOrThrow({ where: { id: requestId } });
  expect(request).toMatchObject({ successful: false, leakedResources: [] });
  expect(request.message).toContain("The AWS account has reached a quota");
  const rows = await context.db.snapshot.findMany({ where: { id: { in: snapshots.map(({ id }) => id) } } });
  expect(rows.map(({ state, deletedAt }) => [state, deletedAt !== null])).toEqual([
    ["error", true],
    ["error", true],
  ]);
  const { snapshot, volume, instance } = await aws.inventory(context.customer.awsAccount);
  const ours = volume.filter(({ tags }) => tags["gantry:account"]);
  expect([snapshot.length, ours.length, instance.length]).toEqual([0, 2, 1]);
  expect((await context.db.server.findUniqueOrThrow({ where: { id: server.id } })).deletedAt).toBeNull();
});
