import { DescribeVpcsCommand } from "@aws-sdk/client-ec2";
import { awsOpener } from "@gantry/worker";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { scenarios } from "../../apps/worker/src/workflows/all.scenarios.js";
import { NOT_CALLED } from "../../scripts/aws-policies/statements.js";
import { aws, REGION } from "../support/account.js";
import { type CallbackApi, startCallbackApi } from "../support/callbacks.js";
import { type PermissionRun, permissionRuns } from "../support/permission-runs.js";
import type { Scenario } from "../support/scenario.js";
import { installShippedPermissions, type ShippedPermissions, shippedPolicies } from "../support/shipped-permissions.js";
import { cloneDatabase, type TestDatabase } from "../support/stack.js";
import { moreScenarios } from "./more.scenarios.js";

/** A way to run a scenario, with how long it took. */
interface Variant {
  name: string;
  scenario: Scenario;
  crashes: boolean;
  milliseconds: number;
  run: PermissionRun;
}

const CONCURRENT_RUNS = 4;
const DENIED = new Set(["UnauthorizedOperation", "AccessDenied", "AccessDeniedException"]);

/** The shipped actions that the emulator asks for: it asks for none beyond the calls themselves. */
const actions = shippedPolicies
  .flatMap(({ Statement }) => Statement)
  .filter(({ Effect }) => Effect === "Allow")
  .flatMap(({ Action }) => Action)
  .filter((action, index, all) => all.indexOf(action) === index && !(action in NOT_CALLED));

/**
 * Runs every scenario by the worker's identity with exactly the shipped policies, then takes one action in `oneIn` away at a
 * time, and expects the shortest scenario that needs it to fail.
 */
export function testShippedPermissions({ oneIn }: { oneIn: number }): void {
  let database: TestDatabase;
  let api: CallbackApi;
  let permissions: ShippedPermissions;
  let run: ReturnType<typeof permissionRuns>;
  const variants: Variant[] = [];

  beforeAll(async () => {
    database = await cloneDatabase();
    api = await startCallbackApi(database);
    permissions = await installShippedPermissions();
    run = permissionRuns(database, api.env, permissions);
    const all = Object.entries<Scenario>({ ...scenarios, ...moreScenarios });
    const ways = all.flatMap(([name, scenario]) => [false, true].map((crashes) => ({ name, scenario, crashes })));
    await forEach(ways, async (way) => {
      const start = performance.now();
      const done = await run(way.scenario, way);
      variants.push({ ...way, run: done, milliseconds: performance.now() - start });
    });
  });
  afterAll(async () => {
    await api.stop();
    await database.drop();
  });

  it("runs every scenario, also after lost answers, with exactly the shipped policies", () => {
    for (const { name, crashes, run } of variants) {
      const { request, failedAssertion } = run;
      const outcome = { name, crashes, successful: request.successful, message: request.message, failedAssertion };
      expect(outcome).toEqual({ name, crashes, successful: true, message: null, failedAssertion: undefined });
    }
  });

  it("calls each operation that the policies allow", () => {
    const called = new Set(variants.flatMap((variant) => [...variant.run.operations]));
    expect(actions.filter((action) => !called.has(operationOf(action)))).toEqual([]);
  });

  it("denies the worker's identity all but assuming roles", async () => {
    const { ec2 } = awsOpener(10)(REGION, permissions.worker);
    await expect(ec2.send(new DescribeVpcsCommand({}))).rejects.toMatchObject({
      name: "UnauthorizedOperation",
      message: expect.stringContaining("is not authorized to perform: ec2:DescribeVpcs"),
    });
  });

  it("notices each action that is taken away", async () => {
    const outcomes: object[] = [];
    const taken = actions.filter((_action, index) => index % oneIn === 0);
    await forEach(taken, async (action) => {
      const users = variants.filter((variant) => variant.run.operations.has(operationOf(action)));
      const [shortest] = users.sort((one, other) => one.milliseconds - other.milliseconds);
      if (!shortest) return void outcomes.push({ action, problem: "no scenario calls it" });
      const role = await permissions.createRoleWithout(action);
      const { request } = await run(shortest.scenario, { role, crashes: shortest.crashes });
      const { accountId } = permissions.awsAccount;
      const calls = await aws.calls({ accountId, action: operationOf(action) });
      const isDenied = calls.some(({ errorCode = "" }) => DENIED.has(errorCode));
      const tells = /permission/.test(request.message ?? "");
      if (request.successful || !isDenied || !tells) {
        const { name, crashes } = shortest;
        outcomes.push({ action, name, crashes, isDenied, successful: request.successful, message: request.message });
      }
    });
    expect(outcomes).toEqual([]);
  });
}

function operationOf(action: string): string {
  return action.split(":")[1] ?? "";
}

/** Runs `work` for each item, a few at a time. */
async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENT_RUNS }, worker));
}
