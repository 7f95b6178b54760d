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

/** A scenario that ran with the shipped policies, undisturbed or with a worker that dies after creates. */
interface Recording extends PermissionRun {
  name: string;
  scenario: Scenario;
  crashes: boolean;
  milliseconds: number;
}

const CONCURRENT_RUNS = 4;
const DENIALS = new Set(["UnauthorizedOperation", "AccessDenied", "AccessDeniedException"]);

// The emulator asks for the permission of each call, and for none that AWS wants beyond the calls.
const allowed = shippedPolicies.flatMap(({ Statement }) => Statement.filter(({ Effect }) => Effect === "Allow"));
const actions = [...new Set(allowed.flatMap(({ Action }) => Action))].filter((action) => !(action in NOT_CALLED));

const recordings: Recording[] = [];
let database: TestDatabase;
let api: CallbackApi;
let permissions: ShippedPermissions;
let run: ReturnType<typeof permissionRuns>;

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
    recordings.push({ ...way, ...done, milliseconds: performance.now() - start });
  });
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

it("runs every scenario with exactly the shipped policies, also after a worker's death", () => {
  for (const { name, crashes, request, failedAssertion } of recordings) {
    const { successful, message } = request;
    expect({ name, crashes, successful, message, failedAssertion }).toEqual({
      name,
      crashes,
      successful: true,
      message: null,
      failedAssertion: undefined,
    });
  }
});

it("calls each operation that the policies allow", () => {
  const called = new Set(recordings.flatMap(({ operations }) => [...operations]));
  expect(actions.filter((action) => !called.has(operationOf(action)))).toEqual([]);
});

it("denies the worker's own identity every call in its AWS account", async () => {
  const { ec2 } = awsOpener(10)(REGION, permissions.worker);
  await expect(ec2.send(new DescribeVpcsCommand({}))).rejects.toMatchObject({ name: "UnauthorizedOperation" });
});

it("fails the Request, and tells of a permission, where any one action is taken away", async () => {
  const outcomes: object[] = [];
  await forEach(actions, async (action) => {
    const operation = operationOf(action);
    const callers = recordings.filter(({ operations }) => operations.has(operation));
    const [shortest] = callers.sort((one, other) => one.operations.size - other.operations.size);
    const { name, scenario, crashes } = shortest as Recording;
    const role = await permissions.createRoleWithout(action);
    const { request } = await run(scenario, { role, crashes }).catch((error) => {
      throw new Error(`${action} in ${name}${crashes ? " with deaths" : ""}: ${error.message}`, { cause: error });
    });
    const calls = await aws.calls({ accountId: permissions.awsAccount.accountId, action: operation });
    const isDenied = calls.some(({ errorCode = "" }) => DENIALS.has(errorCode));
    const tells = /permission/.test(request.message ?? "");
    outcomes.push({ action, name, crashes, isDenied, successful: request.successful, tells });
  });
  const expected = { isDenied: true, successful: false, tells: true };
  expect(outcomes.length).toBe(actions.length);
  for (const outcome of outcomes) expect(outcome).toEqual({ ...outcome, ...expected });
});

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
