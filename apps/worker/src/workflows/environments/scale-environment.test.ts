import type { OnAwsCall } from "@gantry/test/support/aws-interceptor";
import { cancel } from "@gantry/test/support/request-runs";
import type { ScenarioContext } from "@gantry/test/support/scenario";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import { environmentScenarios } from "./environments.scenarios.js";

const runner = scenarioRunner({ callbacks: true });
let found: { db: ScenarioContext["db"]; requestId: string };

/** Scales with `onCall` around each call to AWS, and returns the end, its messages and the states of the servers. */
async function scale(onCall: OnAwsCall) {
  const { request } = await runner.run(environmentScenarios.scale_environment, onCall, {
    prepare: async ({ db, customer }) => {
      const where = { accountId: customer.accountId, type: "scale_environment" };
      found = { db, requestId: (await db.request.findFirstOrThrow({ where })).id };
    },
  });
  const { db } = found;
  const { addedServerIds, removedServerIds } = request.input as Record<string, number[]>;
  const statesOf = async (serverIds: number[] = []) =>
    (await db.server.findMany({ where: { id: { in: serverIds } } })).map(({ state, deletedAt }) => [state, !deletedAt]);
  return {
    successful: request.successful,
    messages: (await db.requestMessage.findMany({ where: { requestId: request.id } })).map(({ message }) => message),
    added: await statesOf(addedServerIds),
    removed: await statesOf(removedServerIds),
    removals: await db.request.count({
      where: {
        parentId: request.id,
        type: "deprovision_server",
        resourceId: { in: removedServerIds?.map(String) ?? [] },
      },
    }),
  };
}

const refuse = (name: string): OnAwsCall => {
  return (_n, when, command) => {
    if (when === "before" && command.startsWith(name))
      throw Object.assign(new Error("no"), { name: "UnauthorizedOperation", $metadata: {} });
  };
};

it("removes nothing if a new server fails", async () => {
  const { successful, added, removed, removals } = await scale(refuse("RunInstances"));
  expect({ successful, added, removed, removals }).toEqual({
    successful: false,
    added: [["terminated", false]],
    removed: [["running", true]],
    removals: 0,
  });
});

it("keeps the new servers if a removal fails, and says how many are gone", async () => {
  const { successful, messages, added, removed } = await scale(refuse("TerminateInstances"));
  expect({ successful, added, removed }).toEqual({
    successful: false,
    added: [["running", true]],
    removed: [["running", true]],
  });
  expect(messages).toContain("0 of 1 servers were removed; the added servers stay");
});

it("completes the removals if it is cancelled after they began, and says how many are gone", async () => {
  const { successful, messages, added, removed } = await scale(async (_n, when, command) => {
    if (when === "before" && command.startsWith("TerminateInstances")) await cancel(found.db, found.requestId);
  });
  expect({ successful, added, removed }).toEqual({
    successful: false,
    added: [["running", true]],
    removed: [["terminated", false]],
  });
  expect(messages).toContain("1 of 1 servers were removed; the added servers stay");
});
