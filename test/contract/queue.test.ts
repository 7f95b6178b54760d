import { Queue, QueueEvents } from "bullmq";
import { aws } from "../support/account.js";
import { type LiveGantry, startLiveGantry } from "../support/live.js";
import { until } from "../support/until.js";

// What BullMQ itself shows of the queue.
let gantry: LiveGantry;
let provider: Awaited<ReturnType<LiveGantry["addProvider"]>>;
let queue: Queue;
let events: QueueEvents;
/** The events of each job, in their order. */
const seen = new Map<string, { event: string; data?: unknown }[]>();

beforeAll(async () => {
  gantry = await startLiveGantry();
  provider = await gantry.addProvider();
  const { REDIS_URL, QUEUE_PREFIX: prefix } = gantry.api.env;
  const { hostname: host, port, username, password } = new URL(REDIS_URL);
  const connection = { host, port: Number(port), username, password };
  queue = new Queue("requests", { connection, prefix });
  events = new QueueEvents("requests", { connection, prefix });
  const note = (event: string) => (notice: { jobId: string; data?: unknown }) => {
    seen.set(notice.jobId, [...(seen.get(notice.jobId) ?? []), { event, data: notice.data }]);
  };
  for (const event of ["added", "waiting", "active", "progress", "delayed", "completed", "failed"] as const)
    events.on(event, note(event));
  await events.waitUntilReady();
});
afterAll(async () => {
  await events.close();
  await queue.close();
  await gantry.close();
});
beforeEach(() => aws.clear({ accessKeyId: provider.keys.accessKeyId }));

async function createNetwork() {
  const network = { cidr: "10.0.0.0/16", location: "us-east-1", skip_subnets: true };
  const answer = await gantry.owner.post("/networks", { provider: provider.providerId, network });
  expect(answer.status).toBe(200);
  return { answer, id: answer.body.request.id as string };
}

const jobOf = async (id: string) => {
  const job = await queue.getJob(id);
  if (!job) throw new Error(`there is no job ${id}`);
  return job;
};
const ended = (id: string) =>
  until(async () => {
    const state = await queue.getJobState(id);
    return (state === "completed" || state === "failed") && jobOf(id);
  });
const rowOf = (id: string) => gantry.api.db.request.findUniqueOrThrow({ where: { id } });
const refuse = (code: string, times: number) =>
  aws.refuse("CreateVpc", { code, times, accessKeyId: provider.keys.accessKeyId });

it("shows a Request as a job of its type: held while the queue is paused, then active with its stage, then its result", async () => {
  await queue.pause();
  const { id, answer } = await createNetwork();
  const job = await until(() => queue.getJob(id));
  expect(job.name).toBe("provision_network");
  const { resourceId, traceId } = await rowOf(id);
  const subject = `network/${resourceId}`;
  const account = gantry.owner.accountId;
  expect(job.data).toEqual({ request: id, type: "provision_network", account, subject, trace: traceId });
  expect((await rowOf(id)).startedAt).toBeNull();
  await queue.resume();
  await gantry.done(answer);
  const { returnvalue, progress } = await ended(id);
  expect(returnvalue).toEqual({ state: "finished", resource: subject });
  const { stage } = await rowOf(id);
  expect(progress).toEqual({ stage, percent: expect.any(Number) });
  await until(async () => seen.get(id)?.some(({ event }) => event === "completed"));
  expect(seen.get(id)?.map(({ event }) => event)).toEqual(
    expect.arrayContaining(["added", "active", "progress", "completed"]),
  );
});

it("fails the job of a failed Request with the Request's message", async () => {
  await refuse("UnauthorizedOperation", 1);
  const { id, answer } = await createNetwork();
  const { message, successful } = await gantry.ended(answer);
  const { failedReason } = await ended(id);
  expect([successful, failedReason]).toEqual([false, message]);
});

it("completes the job of a cancelled Request with that state", async () => {
  await queue.pause();
  const { id, answer } = await createNetwork();
  expect((await gantry.owner.post(`/requests/${id}/cancel`)).status).toBe(200);
  await queue.resume();
  await gantry.ended(answer);
  expect((await ended(id)).returnvalue).toMatchObject({ state: "cancelled" });
});

it("delays the job of a waiting Request, and continues it", async () => {
  await refuse("RequestLimitExceeded", 1);
  const { id, answer } = await createNetwork();
  await gantry.done(answer);
  expect((await ended(id)).returnvalue).toMatchObject({ state: "finished" });
  await until(async () => seen.get(id)?.some(({ event }) => event === "completed"));
  expect(seen.get(id)?.map(({ event }) => event)).toContain("delayed");
});

it("runs a Request whose job a dashboard removed", async () => {
  await queue.pause();
  const { id, answer } = await createNetwork();
  await (await until(() => queue.getJob(id))).remove();
  await queue.resume();
  await gantry.done(answer);
  expect((await ended(id)).returnvalue).toMatchObject({ state: "finished" });
});

it("runs a Request whose job ended before the Request", async () => {
  await queue.pause();
  const { id, answer } = await createNetwork();
  await (await until(() => queue.getJob(id))).remove();
  await queue.add("run", { requestId: id }, { jobId: id });
  await queue.resume();
  await gantry.done(answer);
});

it("runs nothing again when a dashboard repeats a job, and returns the same result", async () => {
  const { id, answer } = await createNetwork();
  await gantry.done(answer);
  const { returnvalue } = await ended(id);
  await refuse("UnauthorizedOperation", 1);
  const { id: failedId, answer: failed } = await createNetwork();
  await gantry.ended(failed);
  const { failedReason } = await ended(failedId);
  const before = [await rowOf(id), await rowOf(failedId)];
  const count = await gantry.api.db.request.count();
  await (await jobOf(id)).retry("completed");
  await (await jobOf(failedId)).retry("failed");
  const again = [await ended(id), await ended(failedId)];
  expect(again.map((job) => [job.returnvalue ?? null, job.failedReason ?? null])).toEqual([
    [returnvalue, null],
    [null, failedReason],
  ]);
  expect([await rowOf(id), await rowOf(failedId)]).toEqual(before);
  expect(await gantry.api.db.request.count()).toBe(count);
});

it("runs the Request with the job's id, regardless of the job's other data", async () => {
  await queue.pause();
  const { id, answer } = await createNetwork();
  const { answer: other } = await createNetwork();
  await (await until(() => queue.getJob(id))).remove();
  await queue.add("remove_network", { request: other.body.request.id, account: "nobody" }, { jobId: id });
  await queue.resume();
  await gantry.done(answer);
  const { name, returnvalue } = await ended(id);
  expect([name, returnvalue]).toEqual([
    "remove_network",
    { state: "finished", resource: `network/${(await rowOf(id)).resourceId}` },
  ]);
  await gantry.done(other);
});

it.each(["0190c4a2-2222-7222-8222-222222222222", "no-request"])(
  "does nothing for the job %s, which no Request has",
  async (id) => {
    await queue.add("provision_network", {}, { jobId: id });
    expect((await ended(id)).returnvalue).toEqual({ state: "unknown", resource: null });
  },
);
