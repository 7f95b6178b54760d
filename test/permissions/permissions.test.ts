import { DescribeVpcsCommand } from "@aws-sdk/client-ec2";
import { NOT_CALLED } from "@gantry/aws-facts";
import { awsOpener } from "@gantry/worker";
import { scenarios } from "../../apps/worker/src/workflows/all.scenarios.js";
import { aws, REGION } from "../support/account.js";
import { type CallbackApi, startCallbackApi } from "../support/callbacks.js";
import { CREATE, type PermissionRun, permissionRuns } from "../support/permission-runs.js";
import { runsEveryCase, sample } from "../support/sample.js";
import { installShippedPermissions, type ShippedPermissions, shippedPolicies } from "../support/shipped-permissions.js";
import { cloneDatabase, type TestDatabase } from "../support/stack.js";
import { type MoreScenario, moreScenarios } from "./more.scenarios.js";

/** A scenario that ran with the shipped policies, undisturbed or with lost answers. */
interface Recording extends PermissionRun {
  name: string;
  scenario: MoreScenario;
  losesAnswers: boolean;
}

const CONCURRENT_RUNS = 4;
/** The cases that `npm test` draws; the campaign "permissions" runs all of them. */
const SAMPLED = { undisturbed: 6, withLostAnswers: 2, actionsTakenAway: 4 };
const DENIALS = new Set(["UnauthorizedOperation", "AccessDenied", "AccessDeniedException"]);

// The emulator asks for the permission of each call, and for none that AWS wants beyond the calls.
const allowed = shippedPolicies.flatMap(({ Statement }) => Statement.filter(({ Effect }) => Effect === "Allow"));
const actions = [...new Set(allowed.flatMap(({ Action }) => Action))].filter((action) => !(action in NOT_CALLED));

/** The scenarios of actions that are called at times only. */
const INSTEAD: Record<string, string> = {
  "ec2:DescribeInstanceTypes": "a region with an unknown instance type",
  // EC2 has an operation of the same name.
  "autoscaling:DeleteTags": "the tags of a scaling group",
};

let recordings: Recording[];
let database: TestDatabase;
let api: CallbackApi;
let permissions: ShippedPermissions;
let run: ReturnType<typeof permissionRuns>;

beforeAll(async () => {
  database = await cloneDatabase();
  await letNoRunUseOffersOfOthers();
  api = await startCallbackApi(database);
  permissions = await installShippedPermissions();
  run = permissionRuns(database, api.env, permissions);
  // The worker's identity in this test may assume roles and do nothing else.
  const { provision_shared_provider: _, ...throughRoles } = scenarios;
  const all = Object.entries<MoreScenario>({ ...throughRoles, ...moreScenarios });
  const record = async (way: Pick<Recording, "name" | "scenario" | "losesAnswers">) => ({
    ...way,
    ...(await runAs(way)),
  });
  const undisturbed = await mapRuns(
    sample(all, SAMPLED.undisturbed, "undisturbed").map(([name, scenario]) => ({
      name,
      scenario,
      losesAnswers: false,
    })),
    record,
  );
  const creating = undisturbed.filter(({ operations }) => [...operations].some((name) => CREATE.test(name)));
  const disturbed = sample(creating, SAMPLED.withLostAnswers, "lost answers").map(({ name, scenario }) => ({
    name,
    scenario,
    losesAnswers: true,
  }));
  recordings = [...undisturbed, ...(await mapRuns(disturbed, record))];
});
/** Without the date of their reading no other provider uses offers, so that each run makes all of its calls. */
async function letNoRunUseOffersOfOthers(): Promise<void> {
  await database.db.$executeRaw`
    CREATE FUNCTION forget_reading() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.read_at := NULL; RETURN NEW; END'`;
  await database.db.$executeRaw`
    CREATE TRIGGER forget_reading BEFORE INSERT OR UPDATE ON offer_lists FOR EACH ROW EXECUTE FUNCTION forget_reading()`;
}

afterAll(async () => {
  await api.stop();
  await database.drop();
});

it("runs scenarios with exactly the shipped policies, also with lost answers", () => {
  for (const { name, losesAnswers, request, failedAssertion } of recordings) {
    const { successful, message } = request;
    expect({ name, losesAnswers, successful, message, failedAssertion }).toEqual({
      name,
      losesAnswers,
      successful: true,
      message: null,
      failedAssertion: undefined,
    });
  }
});

// A sample of the scenarios calls a part of the operations.
if (runsEveryCase)
  it("calls each operation that the policies allow", () => {
    const called = new Set(recordings.flatMap(({ operations }) => [...operations]));
    expect(actions.filter((action) => !called.has(operationOf(action)))).toEqual([]);
  });

it("denies the worker's own identity every call in its AWS account", async () => {
  const { ec2 } = awsOpener(10)(REGION, permissions.worker);
  await expect(ec2.send(new DescribeVpcsCommand({}))).rejects.toMatchObject({ name: "UnauthorizedOperation" });
});

it("names the missing permission if any single action is removed", async () => {
  // The campaign finds a scenario without lost answers for each action.
  const undisturbed = recordings.filter(({ losesAnswers }) => !losesAnswers);
  const known = actions.filter(
    (action) => runsEveryCase || undisturbed.some((recording) => isCallerOf(action, recording)),
  );
  const drawn = sample(known, SAMPLED.actionsTakenAway, "actions taken away");
  const trials = drawn.map((action) => ({ action, ...shortestFor(action) }));
  const outcomes = await mapRuns(trials, async (trial) => {
    const { action, name, losesAnswers } = trial;
    const { messages } = await runAs(trial, await permissions.createRoleWithout(action));
    const { accountId } = permissions.awsAccount;
    const calls = await aws.calls({ accountId, action: operationOf(action) });
    const isDenied = calls.some(({ errorCode = "" }) => DENIALS.has(errorCode));
    return {
      action,
      name,
      losesAnswers,
      isDenied,
      isNamed: messages.some((sentence) => sentence.includes(action) || /permission/.test(sentence)),
    };
  });
  expect(outcomes.length).toBeGreaterThan(0);
  for (const outcome of outcomes) expect(outcome).toEqual({ ...outcome, isDenied: true, isNamed: true });
});

async function runAs({ name, scenario, losesAnswers }: Omit<Recording, keyof PermissionRun>, role?: string) {
  const { settings } = scenario;
  try {
    return await run(scenario, { settings, losesAnswers, ...(role && { role }) });
  } catch (error) {
    throw new Error(`${name}${losesAnswers ? ", with lost answers" : ""}, as ${role ?? "the shipped role"}`, {
      cause: error,
    });
  } finally {
    if (scenario.isAlone) await aws.clear({ accountId: permissions.awsAccount.accountId });
  }
}

function operationOf(action: string): string {
  return action.split(":")[1] ?? "";
}

function isCallerOf(action: string, { name, operations }: Recording): boolean {
  return INSTEAD[action] ? INSTEAD[action] === name : operations.has(operationOf(action));
}

/** The recording with the fewest operations that calls an action, if possible one without lost answers. */
function shortestFor(action: string): Recording {
  const size = ({ losesAnswers, operations }: Recording) => operations.size + (losesAnswers ? 1000 : 0);
  const [shortest] = recordings
    .filter((recording) => isCallerOf(action, recording))
    .sort((one, other) => size(one) - size(other));
  if (!shortest) throw new Error(`No scenario calls ${action}.`);
  return shortest;
}

/**
 * Returns what `work` returns for each item: first a few items at a time, then one by one those whose scenarios must
 * not run beside others.
 */
async function mapRuns<Item extends { scenario: MoreScenario }, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = [...items.entries()].filter(([, { scenario }]) => !scenario.isAlone);
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: CONCURRENT_RUNS }, worker));
  for (const [index, item] of items.entries()) if (item.scenario.isAlone) results[index] = await work(item);
  return results;
}
