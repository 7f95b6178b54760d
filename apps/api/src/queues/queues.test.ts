import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { connectRedis, JobQueues, QUEUE, QUEUES } from "@gantry/queue";
import { createCaller, startTestApi, type TestApi, type TestCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { testLog } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { type JobState, Queue, UnrecoverableError, Worker } from "bullmq";
import supertest from "supertest";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const SAME_ORIGIN = { "Sec-Fetch-Site": "same-origin" };

const { api, db, owner } = await startApiTest();
const [admin, reader] = await Promise.all([
  createCaller(api, { staff: true }),
  createCaller(api, { staff: true, scopes: ["read", "write"] }),
]);
const { REDIS_URL, QUEUE_PREFIX: prefix } = api.env;
const redis = connectRedis(REDIS_URL);
const queue = new Queue(QUEUE, { connection: redis, prefix });
const jobs = new JobQueues(REDIS_URL, prefix, testLog);
afterEach(() => queue.resume());
afterAll(async () => {
  await Promise.all([queue.close(), jobs.close()]);
  redis.disconnect();
});

interface ShownQueue {
  readOnlyMode: boolean;
  allowRetries: boolean;
}

const visit = (path = "/queues", { app }: Pick<TestApi, "app"> = api) =>
  supertest(app).get(path).set("Accept", BROWSER);
const signIn = (token: string, headers: Record<string, string> = SAME_ORIGIN) =>
  supertest(api.app).post("/queues/sign-in").set("Accept", BROWSER).set(headers).type("form").send({ token });

/** Acts as a browser that has signed in. */
const act = ({ token }: TestCaller, path: string, headers: Record<string, string> = SAME_ORIGIN) =>
  supertest(api.app).put(`/queues/api/queues${path}`).set("Cookie", `gantry-queues=${token}`).set(headers);

/** Adds the job of a Request, in a state to which a worker brought it. */
async function addJob(state: JobState & ("prioritized" | "delayed" | "failed")): Promise<string> {
  const id = randomUUID();
  const request = { id, type: "provision_network", accountId: randomUUID(), traceId: "" };
  jobs.add({ ...request, resourceType: "network", resourceId: randomUUID(), ahead: 1 });
  await jobs.settled();
  if (state === "prioritized") return id;
  const connection = connectRedis(REDIS_URL);
  const worker = new Worker(
    QUEUE,
    async (job, token) => {
      if (state === "failed") throw new UnrecoverableError("AWS said no");
      await job.moveToDelayed(Date.now() + 3_600_000, token);
    },
    { connection, prefix },
  ).on("error", () => {});
  await until(async () => (await queue.getJobState(id)) === state);
  await worker.close();
  connection.disconnect();
  return id;
}

describe("a browser that is not signed in", () => {
  it("gets a page with a form to sign in, and a call gets the API's error", async () => {
    const page = await visit();
    expect([page.status, page.type]).toEqual([401, "text/html"]);
    expect(page.text).toContain('<form method="post" action="/queues/sign-in">');
    const call = await supertest(api.app).get("/queues/api/queues");
    expect([call.status, call.body.code]).toEqual([401, "unauthorized"]);
  });

  it("signs in with a token of staff, which its cookie keeps for an hour from scripts and other sites", async () => {
    const { status, headers } = await signIn(admin.token);
    expect([status, headers.location, headers["cache-control"]]).toEqual([303, "/queues", "no-store"]);
    expect(headers["set-cookie"]).toEqual([
      expect.stringMatching(/^gantry-queues=gty_\w+; Max-Age=3600; Path=\/queues; .*HttpOnly; SameSite=Strict$/),
    ]);
    const board = await visit().set("Cookie", String(headers["set-cookie"]?.[0]));
    expect([board.status, board.text]).toEqual([200, expect.stringContaining("Gantry queues")]);
  });

  it("is refused with an unknown token or one of a user who is not staff, and the latter is recorded", async () => {
    const unknown = await signIn("gty_guess");
    expect([unknown.status, unknown.headers["set-cookie"]]).toEqual([401, undefined]);
    expect(unknown.text).toContain("a valid API token is required");
    const other = await signIn(owner.token);
    expect([other.status, other.headers["set-cookie"]]).toEqual([403, undefined]);
    expect(other.text).toContain("only staff can see the queues");
    const board = await visit().set("Cookie", `gantry-queues=${owner.token}`);
    expect(board.status).toBe(403);
    await db.$queryRaw`SELECT link_audit_records()`;
    expect(await db.auditRecord.count({ where: { userId: owner.userId, status: 403 } })).toBe(2);
  });

  it("ends its session", async () => {
    const { status, headers } = await visit("/queues/sign-out");
    expect([status, headers["set-cookie"]?.[0]]).toEqual([
      200,
      expect.stringMatching(/^gantry-queues=; Path=\/queues; Expires=Thu, 01 Jan 1970/),
    ]);
  });
});

it("shows staff the queues of Requests and webhooks, with a job's type, error and data", async () => {
  const id = await addJob("failed");
  const { body } = await reader.get("/queues/api/queues").query({ activeQueue: QUEUE, status: "failed" });
  expect(body.queues.map(({ name }: { name: string }) => name).sort()).toEqual([...QUEUES].sort());
  const [shown] = body.queues.find(({ name }: { name: string }) => name === QUEUE).jobs;
  expect(shown).toMatchObject({ id, name: "provision_network", failedReason: "AWS said no", data: { request: id } });
});

it("forbids its pages to load from other hosts, without changing the policy of other pages", async () => {
  const board = await visit().set("Cookie", `gantry-queues=${reader.token}`);
  expect(board.headers["content-security-policy"]).not.toMatch(/https?:/);
  expect(board.headers["content-security-policy"]).toContain("script-src 'self';");
  expect(board.headers["x-powered-by"]).toBeUndefined();
  const docs = await supertest(api.app).get("/docs");
  expect(docs.headers["content-security-policy"]).toContain("style-src 'self' https: 'unsafe-inline'");
});

describe("an action", () => {
  it("pauses and resumes a queue, promotes, removes and cleans jobs, with the scope admin, and is recorded", async () => {
    const [delayed, waiting, old] = [await addJob("delayed"), await addJob("prioritized"), randomUUID()];
    await queue.add("provision_network", {}, { jobId: old, timestamp: Date.now() - 3_600_000 });
    expect((await act(admin, `/${QUEUE}/pause`)).status).toBe(200);
    expect(await queue.isPaused()).toBe(true);
    expect((await act(admin, `/${QUEUE}/${delayed}/promote`)).status).toBe(204);
    expect(await queue.getJobState(delayed)).not.toBe("delayed");
    expect((await act(admin, `/${QUEUE}/${waiting}/clean`)).status).toBe(204);
    expect(await queue.getJobState(waiting)).toBe("unknown");
    expect((await act(admin, `/${QUEUE}/clean/waiting`)).status).toBe(200);
    expect(await queue.getJobState(old)).toBe("unknown");
    expect((await act(admin, `/${QUEUE}/resume`)).status).toBe(200);
    expect(await queue.isPaused()).toBe(false);
    expect((await act(admin, `/${QUEUE}/${waiting}/clean`)).status).toBe(404);
    await db.$queryRaw`SELECT link_audit_records()`;
    const records = await db.auditRecord.findMany({ where: { userId: admin.userId }, orderBy: { createdAt: "asc" } });
    expect(records.map(({ action, subject, status, changes }) => [action, subject, status, changes])).toEqual([
      ["pause queue", `queue/${QUEUE}`, 200, {}],
      ["promote job", `job/${delayed}`, 204, { queue: QUEUE }],
      ["remove job", `job/${waiting}`, 204, { queue: QUEUE }],
      ["clean queue", `queue/${QUEUE}`, 200, { state: "waiting" }],
      ["resume queue", `queue/${QUEUE}`, 200, {}],
      ["remove job", `job/${waiting}`, 404, { queue: QUEUE }],
    ]);
  });

  it("is refused by the server without the scope admin, and the page shows no button for it", async () => {
    const { status, body } = await act(reader, `/${QUEUE}/pause`);
    expect([status, body.errors, await queue.isPaused()]).toEqual([403, ["the token lacks the scope admin"], false]);
    const buttons = async (caller: TestCaller) =>
      (await caller.get("/queues/api/queues")).body.queues.map(({ readOnlyMode, allowRetries }: ShownQueue) => ({
        anyAct: !readOnlyMode,
        retry: allowRetries,
      }));
    expect(await buttons(reader)).toEqual(Array(3).fill({ anyAct: false, retry: false }));
    expect(await buttons(admin)).toEqual(Array(3).fill({ anyAct: true, retry: false }));
  });

  it.each([
    ["Sec-Fetch-Site: cross-site", { "Sec-Fetch-Site": "cross-site" }],
    ["Sec-Fetch-Site: same-site", { "Sec-Fetch-Site": "same-site" }],
    ["an Origin of another host", { Origin: "https://attacker.example.com" }],
    ["the Origin null", { Origin: "null" }],
    ["nothing that names the page", {}],
  ])("is refused from another site: %s", async (_, headers: Record<string, string>) => {
    const { status, body } = await act(admin, `/${QUEUE}/pause`, headers);
    expect([status, body.errors]).toEqual([403, ["only a page of this site can change the queues"]]);
    expect(await queue.isPaused()).toBe(false);
    expect((await signIn(admin.token, headers)).headers["set-cookie"]).toBeUndefined();
  });

  it("is accepted by its Origin from browsers that do not send the site", async () => {
    const { status } = await act(admin, `/${QUEUE}/pause`, { Origin: "http://gantry.test", Host: "gantry.test" });
    expect([status, await queue.isPaused()]).toEqual([200, true]);
  });

  it.each([
    ["PUT", "/:job/retry"],
    ["PUT", "/retry/failed"],
    ["PUT", "/Retry/failed/"],
    ["PUT", "/retry/promote"],
    ["POST", "/add"],
    ["PATCH", "/:job/update-data"],
    ["PUT", "/clean/active"],
    ["PUT", "/empty"],
    ["PUT", "/obliterate"],
  ] as const)("that dashboards cannot perform is refused, even with the scope admin: %s %s", async (method, path) => {
    const id = await addJob("failed");
    const before = await queue.getJobCounts();
    const body = { name: "provision_network", data: { request: randomUUID() }, jobData: {}, force: true };
    const answer = await supertest(api.app)
      [method.toLowerCase() as "put"](`/queues/api/queues/${QUEUE}${path.replace(":job", id)}`)
      .set({ ...SAME_ORIGIN, Cookie: `gantry-queues=${admin.token}` })
      .send(body);
    expect([answer.status, answer.body.errors]).toEqual([403, [expect.stringContaining("/requests/:request/retry")]]);
    expect([await queue.getJobCounts(), await queue.getJobState(id)]).toEqual([before, "failed"]);
  });
});

it("connects to Redis at the first visit, and reports if Redis does not respond", async () => {
  let connections = 0;
  const silent = createServer((socket) => {
    connections++;
    socket.resume();
  });
  await once(silent.listen(0, "127.0.0.1"), "listening");
  const { port } = silent.address() as AddressInfo;
  const other = await startTestApi({ REDIS_URL: `redis://127.0.0.1:${port}` }, { db });
  expect((await visit("/docs", other)).status).toBe(200);
  expect(connections).toBe(0);
  const call = () => supertest(other.app).get("/queues/api/queues").set("Authorization", `Bearer ${reader.token}`);
  const answer = await call();
  expect([answer.status, answer.body.code, answer.headers["retry-after"]]).toEqual([503, "unavailable", "2"]);
  expect(connections).toBe(1);
  silent.close();
  const page = await visit("/queues", other).set("Cookie", `gantry-queues=${reader.token}`);
  expect([page.status, page.text]).toEqual([503, expect.stringContaining("Redis does not respond")]);
  await other.close();
});
