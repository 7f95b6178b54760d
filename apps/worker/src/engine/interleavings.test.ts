import { createPlainAccount } from "@gantry/test/support/account";
import { fakeWorkflow, testEngine } from "@gantry/test/support/engine";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { interleavings, runParameters } from "@gantry/test/support/interleavings/arbitraries";
import { emptyModel } from "@gantry/test/support/interleavings/model";
import { RealSystem } from "@gantry/test/support/interleavings/real-system";
import { workflowsOf } from "@gantry/test/support/request-runs";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import fc from "fast-check";

let database: TestDatabase;
let accountId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  ({ accountId } = await createPlainAccount(database.db));
});
afterAll(() => database.drop());

const nothing = async () => {};

// The actions replace the stages. Workflows are only needed to run the Requests to completion.
const workflows = workflowsOf(
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
);

async function clear(): Promise<void> {
  await database.db.$queryRaw`
    WITH messages AS (DELETE FROM request_messages), stages AS (DELETE FROM request_stages),
    objects AS (DELETE FROM cloud_objects), children AS (UPDATE requests SET parent_id = NULL)
    UPDATE accounts SET name = 'nobody' WHERE id = ${accountId}::uuid`;
  await database.db.request.deleteMany();
}

it(
  "any interleaving of three workers, with any steps of the clock, gives the results that the model predicts",
  async () => {
    const property = fc.asyncProperty(interleavings, async (commands) => {
      await clear();
      const real = new RealSystem(testEngine(database, new FakeCloud(), { workflows }), accountId);
      try {
        await real.observe();
        await fc.asyncModelRun(() => ({ model: emptyModel("nobody"), real }), commands);
        expect(await real.runToCompletion()).toBe(0);
      } finally {
        real.close();
      }
    });
    await fc.assert(property, runParameters);
  },
  900_000 + runParameters.numRuns * 1000,
);
