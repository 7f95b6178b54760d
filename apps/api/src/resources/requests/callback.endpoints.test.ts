import { createHash, createSecretKey, randomUUID } from "node:crypto";
import { callbackToken } from "@gantry/requests";
import { createCaller, createEnvironment, createProvider, createServer, createVolume } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { testKeys } from "@gantry/test/support/stack";
import supertest from "supertest";

const { api, db } = await startApiTest();
const { accountId } = await createCaller(api);
const provider = await createProvider(db, accountId);
const server = await createServer(db, await createEnvironment(db, provider));
let requestId: string;
beforeEach(async () => {
  requestId = await newRequest();
  await db.server.update({ where: { id: server.id }, data: { chefStatus: [] } });
  api.jobs.ids.length = 0;
});

async function newRequest(): Promise<string> {
  const id = randomUUID();
  const resource = { resourceType: "server", resourceId: String(server.id), input: {}, traceId: "" };
  const sleeping = { nextRunAt: new Date(Date.now() + 3_600_000), deadlineAt: new Date(Date.now() + 7_200_000) };
  await db.request.create({ data: { id, accountId, type: "provision_server", ...resource, ...sleeping } });
  return id;
}

const report = (body: object, id = requestId) =>
  supertest(api.app)
    .post(`/requests/${id}/callback`)
    .send({ token: callbackToken(testKeys.callbacks, requestId), ...body });
const row = () => db.request.findUniqueOrThrow({ where: { id: requestId } });
const reports = async () => (await db.server.findUniqueOrThrow({ where: { id: server.id } })).chefStatus;

it("accepts a server's report, keeps its message, and notifies a worker", async () => {
  expect((await report({ status: "progress", message: "mounting /data" })).status).toBe(204);
  expect((await report({ status: "finished" })).status).toBe(204);
  const request = await row();
  expect(request.report).toEqual({ status: "finished", message: null });
  expect(request.nextRunAt.getTime()).toBeLessThanOrEqual(Date.now() + 1000);
  expect(api.jobs.ids).toEqual([requestId]);
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  expect(await reports()).toEqual([
    { message: "mounting /data", timestamp },
    { message: "finished", timestamp },
  ]);
});

it("wakes no worker for progress reports, and accepts sixty per Request and minute", async () => {
  const due = (await row()).nextRunAt;
  const statuses = [];
  for (let i = 0; i < 61; i++) statuses.push((await report({ status: "progress", message: `${i}` })).status);
  expect(statuses).toEqual([...Array.from({ length: 60 }, () => 204), 429]);
  expect(api.jobs.ids).toEqual([]);
  expect(await row()).toMatchObject({ nextRunAt: due, wake: 0 });
});

it("answers 404 without the Request's own token", async () => {
  const other = callbackToken(testKeys.callbacks, randomUUID());
  const answers = [
    await report({ status: "finished", token: other }),
    await report({ status: "finished", token: "" }),
    await report({ status: "finished" }, randomUUID()),
    await report({ status: "finished" }, "nonsense"),
    await supertest(api.app)
      .post(`/requests/${requestId}/callback`)
      .send({ status: "finished", token: callbackToken(createSecretKey(Buffer.alloc(32, 8)), requestId) }),
  ];
  for (const { status, body } of answers) {
    const { trace_id: _, ...rest } = body;
    expect([status, rest]).toEqual([404, { errors: ["not found"], code: "not_found", details: [] }]);
  }
  expect(await row()).toMatchObject({ report: null, wake: 0 });
  expect(await reports()).toEqual([]);
});

it.each(["finished", "failed"])("refuses reports after the report %s", async (status) => {
  expect((await report({ status })).status).toBe(204);
  expect((await report({ status: "progress" })).status).toBe(409);
  expect((await report({ status: "finished" })).status).toBe(409);
  expect((await row()).report).toEqual({ status, message: null });
});

it.each([{ finishedAt: new Date() }, { rollingBackSince: new Date() }])(
  "refuses reports after the end of the Request and during its compensation",
  async (state) => {
    await db.request.update({ where: { id: requestId }, data: state });
    expect((await report({ status: "finished" })).status).toBe(409);
    expect((await row()).report).toBeNull();
  },
);

it("refuses long messages and unknown values, and replaces control characters", async () => {
  expect((await report({ status: "failed", message: "x".repeat(501) })).status).toBe(422);
  expect((await report({ status: "done" })).status).toBe(422);
  expect((await report({ status: "failed", secret: 1 })).status).toBe(422);
  expect((await report({ status: "failed", message: "no\u0007disk" })).status).toBe(204);
  expect((await row()).report).toEqual({ status: "failed", message: "no disk" });
});

it("keeps the newest hundred reports of a server", async () => {
  const chefStatus = Array.from({ length: 100 }, (_, n) => ({
    message: `step ${n}`,
    timestamp: "2026-01-01T00:00:00+00:00",
  }));
  await db.server.update({ where: { id: server.id }, data: { chefStatus } });
  expect((await report({ status: "progress", message: "last" })).status).toBe(204);
  const kept = (await reports()) as { message: string }[];
  expect([kept.length, kept[0]?.message, kept.at(-1)?.message]).toEqual([100, "step 1", "last"]);
});

it("accepts reports of many servers behind one address", async () => {
  const another = await newRequest();
  const statuses = [];
  for (let n = 0; n < 70; n++) {
    const id = n % 2 === 0 ? requestId : another;
    const token = callbackToken(testKeys.callbacks, id);
    statuses.push((await report({ status: "progress", token }, id)).status);
  }
  expect(new Set(statuses)).toEqual(new Set([204]));
});

const digest = (text: string) => createHash("sha256").update(text).digest("hex");
const askForKeys = (installed: string, id = requestId) =>
  supertest(api.app)
    .post(`/requests/${id}/authorized-keys`)
    .send({ token: callbackToken(testKeys.callbacks, requestId), installed });
const keys = () =>
  db.server.findUniqueOrThrow({ where: { id: server.id }, select: { keysCurrent: true, keysAskedAt: true } });

it("returns a server's SSH keys until it has them, and none before an apply", async () => {
  const asked = { keysAskedAt: expect.any(Date) };
  const before = await askForKeys(digest("first boot\n"));
  expect([before.status, before.body]).toEqual([200, { authorized_keys: null }]);
  expect(await keys()).toEqual({ ...asked, keysCurrent: false });
  await db.server.update({ where: { id: server.id }, data: { authorizedKeys: "one\ntwo\n" } });
  expect((await askForKeys(digest("first boot\n"))).body).toEqual({ authorized_keys: "one\ntwo\n" });
  expect(await keys()).toEqual({ ...asked, keysCurrent: false });
  expect((await askForKeys(digest("one\ntwo\n"))).body).toEqual({ authorized_keys: null });
  expect(await keys()).toEqual({ ...asked, keysCurrent: true });
  expect((await askForKeys(digest("one\ntwo\nadded by hand\n"))).body).toEqual({ authorized_keys: "one\ntwo\n" });
  expect(await keys()).toEqual({ ...asked, keysCurrent: false });
});

it("records which sizes the file systems of a server fill, of its own volumes only", async () => {
  const own = await createVolume(db, provider, {
    serverId: server.id,
    mount: "/data",
    device: "/dev/xvdf",
    sizeGb: 20,
  });
  const other = await createVolume(db, provider, { mount: "/data" });
  const root = { serverId: server.id, mount: "/", device: "/dev/xvda", sizeGb: 8 };
  const send = (filled: object, id = requestId) =>
    supertest(api.app)
      .post(`/requests/${id}/file-systems`)
      .send({ token: callbackToken(testKeys.callbacks, requestId), filled });
  const sizes = async () =>
    (await db.volume.findMany({ where: { id: { in: [own.id, other.id] } }, orderBy: { id: "asc" } })).map(
      ({ fileSystemGb }) => fileSystemGb,
    );
  const reported = { "/data": 20 * 2 ** 30, "/": 8 * 2 ** 30 };
  expect((await send(reported)).status).toBe(409);
  expect(await sizes()).toEqual([null, null]);
  await createVolume(db, provider, root);
  expect((await send(reported)).status).toBe(204);
  expect(await sizes()).toEqual([20, null]);
  expect((await send({ "/data": "much" })).status).toBe(422);
  expect((await send({ "/data": 1 }, await newRequest())).status).toBe(404);
  expect(await sizes()).toEqual([20, null]);
});

it("does not show SSH keys without the Request's own token, or of a server that no longer exists", async () => {
  await db.server.update({ where: { id: server.id }, data: { authorizedKeys: "one\n" } });
  const of = { accountId, resourceType: "network", resourceId: randomUUID(), input: {}, traceId: "" };
  const other = randomUUID();
  await db.request.create({ data: { id: other, type: "provision_network", ...of, deadlineAt: new Date() } });
  const installed = digest("");
  const answers = [
    await askForKeys(installed, randomUUID()),
    await askForKeys(installed).send({ token: "guess", installed }),
    await askForKeys(installed, other).send({ token: callbackToken(testKeys.callbacks, other), installed }),
  ];
  const gone = new Date();
  await db.server.update({ where: { id: server.id }, data: { deletedAt: gone } });
  answers.push(await askForKeys(installed));
  await db.server.update({ where: { id: server.id }, data: { deletedAt: null } });
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect((await askForKeys("not a digest")).status).toBe(422);
});
