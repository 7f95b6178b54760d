import { randomUUID } from "node:crypto";
import { createCaller, REGION } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { fillAccount } from "@gantry/test/support/fixtures";
import { estimate } from "../../http/plans/estimate.js";
import type { PlannedResource } from "../../http/plans/planned-resource.js";

const { api, db, owner } = await startApiTest();
const empty = await createCaller(api);
const fixtures = await fillAccount(api, owner, 3);
const { accountId } = owner;

const summaryOf = async (caller: typeof owner) => {
  const { status, body } = await caller.get(`/accounts/${caller.accountId}/summary`);
  expect(status).toBe(200);
  return body.summary;
};
const few = (count: number) => ({ count, is_more: false });
const day = 86_400_000;

async function addRequests(count: number, fields: object): Promise<void> {
  const row = { accountId, type: "provision_network", input: {}, traceId: "", deadlineAt: new Date() };
  const rows = Array.from({ length: count }, () => ({ ...row, id: randomUUID(), ...fields }));
  await db.$transaction([
    db.$executeRaw`SET LOCAL session_replication_role = replica`,
    db.request.createMany({ data: rows }),
  ]);
}

it("counts open and recently failed Requests, leaks, drift, open alerts, and what is disabled", async () => {
  const [now, before] = [new Date(), new Date(Date.now() - 2 * day)];
  const first = await summaryOf(owner);
  await addRequests(2, {});
  await addRequests(3, { startedAt: now, waitingFor: "the VPC" });
  await addRequests(1, { startedAt: now, finishedAt: now });
  await addRequests(1, { startedAt: before, finishedAt: before, createdAt: before });
  await addRequests(1, { startedAt: now, finishedAt: now, cancelRequestedAt: now });
  const leak = { kind: "vpc", id: "vpc-1", region: REGION };
  await addRequests(1, { startedAt: now, finishedAt: now, successful: true, leakedResources: [leak, leak] });
  const [alert] = await db.alert.findMany({ where: { accountId } });
  await db.alert.update({ where: { id: alert?.id ?? "" }, data: { finishedAt: now } });
  await db.webhook.update({ where: { id: String(fixtures.webhooks) }, data: { disabledAt: now } });
  const region = String(fixtures["provider-locations"]);
  await db.providerLocation.update({ where: { id: region }, data: { disabledAt: now } });
  const summary = await summaryOf(owner);
  expect(summary).toMatchObject({
    open_requests: { pending: few(2), running: few(0), waiting: few(3), cancelling: few(0), rolling_back: few(0) },
    failed_requests_in_24_hours: few(1),
    leaked_resources: few(2),
    drift: { orphan: few(3), changed: few(0), disappeared: few(0) },
    alerts: { warning: few(first.alerts.warning.count - 1), critical: few(0) },
    disabled: { webhooks: few(1), regions: few(1) },
  });
});

it("counts the records of each type that are not deleted", async () => {
  const before = (await summaryOf(owner)).records;
  expect(before).toMatchObject({ network: few(3), server: few(3), volume: few(3), provider: few(2) });
  await db.server.update({ where: { id: Number(fixtures.servers) }, data: { deletedAt: new Date() } });
  await db.network.update({ where: { id: String(fixtures.networks) }, data: { deletedAt: new Date() } });
  const { records } = await summaryOf(owner);
  expect(records).toEqual({ ...before, network: few(2), server: few(2) });
  await db.server.update({ where: { id: Number(fixtures.servers) }, data: { deletedAt: null } });
});

it("shows the limits of the regions in use", async () => {
  const id = String(fixtures["provider-locations"]);
  await db.providerLocation.update({ where: { id }, data: { serverLimit: 20, addressLimit: null } });
  const { limits } = await summaryOf(owner);
  const { locationId: region, providerId } = await db.providerLocation.findUniqueOrThrow({ where: { id } });
  expect(limits).toEqual([
    {
      provider: `http://gantry.test/providers/${providerId}`,
      region,
      servers: { used: 3, limit: 20 },
      addresses: { used: 3, limit: null },
    },
  ]);
});

it("adds up the list prices of what costs something, and names what has no price", async () => {
  const before = (await summaryOf(owner)).monthly_cost;
  const add = { accountId, providerId: Number(fixtures.providers), location: `${REGION}a`, provisionedId: "vol-1" };
  await db.volume.create({ data: { ...add, region: REGION, sizeGb: 100, volumeType: "gp3" } });
  await db.volume.create({ data: { ...add, region: "xx-nowhere-1", sizeGb: 100, volumeType: "gp3" } });
  const volume: PlannedResource = {
    kind: "volume",
    count: 1,
    region: REGION,
    volumes: [{ name: "data", type: "gp3", size_gb: 100 }],
  };
  const price = estimate([volume]).estimate?.monthly_usd as number;
  const { monthly_cost: cost } = await summaryOf(owner);
  expect(cost.monthly_usd).toBeCloseTo(before.monthly_usd + price, 2);
  expect([cost.is_complete, cost.without_price]).toEqual([
    false,
    [...before.without_price, "everything in xx-nowhere-1"].sort(),
  ]);
});

it("shows nothing of another account", async () => {
  const { limits, monthly_cost: cost, ...counts } = await summaryOf(empty);
  expect(JSON.stringify(counts)).not.toMatch(/"count":[1-9]|true/);
  expect([limits, cost.monthly_usd]).toEqual([[], 0]);
  expect((await empty.get(`/accounts/${accountId}/summary`)).status).toBe(404);
});

it("stops counting at 10,000", async () => {
  await addRequests(10_001, { startedAt: new Date() });
  const { open_requests: open } = await summaryOf(owner);
  expect(open.running.is_more).toBe(true);
  expect(open.running.count).toBeLessThanOrEqual(10_000);
});
