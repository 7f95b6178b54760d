import { requestTypes } from "@gantry/resources";
import { createCaller, type TestCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { Crash, fakeWorkflow, runAllToEnd, testEngine } from "@gantry/test/support/engine";
import { openEventStream, type ReadEvent, take } from "@gantry/test/support/event-stream";
import { FakeCloud, node } from "@gantry/test/support/fake-cloud";
import { runParameters } from "@gantry/test/support/interleavings/arbitraries";
import { openPort } from "@gantry/test/support/port";
import { startReceiver } from "@gantry/test/support/receiver";
import { HERE, rethrowCrash, workflowsOf } from "@gantry/test/support/request-runs";
import { testLog, testVault } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { createRequestOf } from "@gantry/test/support/work";
import fc from "fast-check";
import { permanent, poll } from "../engine/stage-errors.js";
import { WebhookDeliverer } from "./webhook-deliverer.js";
import { WebhookSender } from "./webhook-sender.js";

const { api, db } = await startApiTest({ settings: { WEBHOOK_PRIVATE_ADDRESSES: "127.0.0.0/8,::1/128" } });
const port = await openPort();
port.serve(api.app);
const receiver = await startReceiver();
const sender = new WebhookSender(["127.0.0.0/8", "::1/128"]);
const deliverer = new WebhookDeliverer({ db, vault: testVault, sender, log: testLog });
afterAll(async () => {
  sender.close();
  await receiver.close();
  await port.close();
});

const TYPE = "provision_server";
const STAGES = requestTypes[TYPE].stages;

/** The outcome of one try of a stage; every further try succeeds. */
const outcome = fc.constantFrom("succeeds", "succeeds", "creates", "waits", "crashes", "fails");
/** For each Request, the outcomes of each of its stages, and whether it is cancelled after so many claims. */
const run = fc.array(
  fc.record({
    stages: fc.tuple(...STAGES.map(() => fc.array(outcome, { maxLength: 3 }))),
    cancelAfter: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 4 },
);
type Run = typeof run extends fc.Arbitrary<infer Value> ? Value : never;

/** Has the Requests of a run accepted and run to their end. */
async function play(requests: Run, owner: TestCaller): Promise<void> {
  const script = new Map<string, { outcomes: string[][]; cancelAfter: number | undefined; tries: number }>();
  const stages = STAGES.map((name, i) => [
    name,
    async ({
      request,
      cloud,
    }: Parameters<Parameters<typeof fakeWorkflow<typeof TYPE>>[0]["stages"]["server.launch"]>[0]) => {
      const own = script.get(request.id);
      if (own && own.tries++ === own.cancelAfter) await owner.post(`/requests/${request.id}/cancel`);
      const next = own?.outcomes[i]?.shift();
      if (next === "creates") await cloud(HERE).ensure(node, {}, name);
      if (next === "waits") throw poll("the cloud");
      if (next === "crashes") throw new Crash();
      if (next === "fails") throw permanent("No");
    },
  ]);
  const workflows = workflowsOf(
    fakeWorkflow({ type: TYPE, stages: Object.fromEntries(stages), discard: async () => {} }),
  );
  const engine = testEngine(api.database, new FakeCloud(), { workflows, classify: rethrowCrash });
  for (const [n, { stages: outcomes, cancelAfter }] of requests.entries()) {
    const id = await createRequestOf(db, owner, TYPE, { type: "server", id: n }, { addressId: null });
    script.set(id, { outcomes: outcomes.map((each) => [...each]), cancelAfter, tries: 0 });
  }
  await runAllToEnd(engine, owner.accountId);
}

/** What the Requests themselves say: the stages and the end of each. */
async function requestsOf(owner: TestCaller): Promise<Record<string, string[]>> {
  const { requests } = (await owner.get("/requests?per_page=100")).body;
  const steps = requests.map(async ({ id, state }: { id: string; state: string }) => {
    const { stages } = (await owner.get(`/requests/${id}/stages`)).body;
    return [id, [...stages.map(({ name }: { name: string }) => name), state]];
  });
  return Object.fromEntries(await Promise.all(steps));
}

/** The same, from events. */
function requestsIn(events: ReadEvent[]): Record<string, string[]> {
  const stepsById: Record<string, string[]> = {};
  for (const { type, subject, record } of events) {
    const steps = stepsById[subject.id] ?? [];
    stepsById[subject.id] = steps;
    if (type === "request.stage" && record.stage !== null) steps.push(record.stage);
    if (/^request\.(finished|failed|cancelled)$/.test(type)) steps.push(record.state);
  }
  return stepsById;
}

it("the stream, its pages, a webhook and the Requests always agree", async () => {
  const property = fc.asyncProperty(run, fc.nat({ max: 5 }), async (requests, cutAfter) => {
    const owner = await createCaller(api);
    const url = `${port.url}/accounts/${owner.accountId}/events`;
    const webhook = { webhook: { url: receiver.url } };
    const { id: webhookId } = (await owner.post(`/accounts/${owner.accountId}/webhooks`, webhook)).body.webhook;
    const start = (await owner.get(`/accounts/${owner.accountId}/events?after=now`)).body.next;
    const received = receiver.received.length;
    const first = take(await openEventStream(url, owner.token, start), cutAfter + 1);
    await play(requests, owner);

    const written = await db.event.count({ where: { accountId: owner.accountId, subjectType: "request" } });
    const page = await until(async () => {
      const { events } = (await owner.get(`/accounts/${owner.accountId}/events?limit=1000&after=${start}`)).body;
      return events.length === written && (events as ReadEvent[]);
    });
    const begun = await first;
    const rest = written - begun.length;
    const streamed = rest > 0 ? await take(await openEventStream(url, owner.token, begun.at(-1)?.id), rest) : [];
    await until(async () => {
      await deliverer.deliver(webhookId);
      return receiver.received.length - received >= written;
    });
    const delivered = receiver.received.slice(received).map(({ body }) => JSON.parse(body).data as ReadEvent);

    expect([...begun, ...streamed]).toEqual(page);
    expect(delivered.map(({ id, type }) => [id, type])).toEqual(page.map(({ id, type }) => [id, type]));
    expect(requestsIn(page)).toEqual(await requestsOf(owner));
  });
  await fc.assert(property, { numRuns: 25, seed: runParameters.seed });
});
