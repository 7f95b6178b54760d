import { createPlainAccount } from "@gantry/test/support/account";
import { fakeWorkflow, testEngine } from "@gantry/test/support/engine";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { interleavings, runParameters } from "@gantry/test/support/interleavings/commands";
import { emptyModel } from "@gantry/test/support/interleavings/model";
import { RealSystem } from "@gantry/test/support/interleavings/real-system";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Engine } from "./engine.js";

let database: TestDatabase;
let accountId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  ({ accountId } = await createPlainAccount(database.db));
});
afterAll(() => database.drop());

const nothing = async () => {};

// What the Requests do is the model's affair; only the end that all are brought to needs workflows.
const workflows = new Map(
  [
    fakeWorkflow({
      type: "provision_provider",
      stages: {
        "verify-credentials": nothing,
        "discover-locations": ({ children }) =>
          children.finish([
            { type: "provision_network", resource: { type: "network", id: "a" }, input: { skipSubnets: true } },
            { type: "deprovision_network", resource: { type: "network", id: "b" }, input: {} },
            { type: "discover_provider_locations", resource: { type: "provider", id: "1" }, input: {} },
          ]),
      },
      discard: nothing,
    }),
    fakeWorkflow({ type: "provision_network", stages: { create: nothing }, discard: nothing }),
    fakeWorkflow({ type: "deprovision_network", stages: { destroy: nothing } }),
    fakeWorkflow({ type: "discover_provider_locations", stages: { discover_locations: nothing } }),
  ].map((workflow) => [workflow.type, workflow]),
) as Engine<FakeCloud>["workflows"];

async function clear(): Promise<void> {
  await database.db.$queryRaw`
    WITH messages AS (DELETE FROM request_messages), stages AS (DELETE FROM request_stages),
    objects AS (DELETE FROM cloud_objects), children AS (UPDATE requests SET parent_id = NULL)
    UPDATE accounts SET name = 'nobody' WHERE id = ${accountId}::uuid`;
  await database.db.request.deleteMany();
}

it(
  "whatever three workers do in whatever order, by whatever clock, comes out as the rules of a Request say",
  async () => {
    const property = fc.asyncProperty(interleavings, async (commands) => {
      await clear();
      const workers = new RealSystem(testEngine(database, new FakeCloud(), { workflows }), accountId);
      try {
        await workers.observe();
        await fc.asyncModelRun(() => ({ model: emptyModel("nobody"), real: workers }), commands);
        expect(await workers.runToCompletion()).toBe(0);
      } finally {
        workers.close();
      }
    });
    await fc.assert(property, runParameters);
  },
  30_000 + runParameters.numRuns * 1000,
);
