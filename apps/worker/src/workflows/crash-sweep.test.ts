import type { Request } from "@gantry/db";
import type { AwsAccount, Found, Inventory } from "@gantry/local-stack";
import { OPERATIONS, type OperationName } from "@gantry/requests";
import { aws, createTestAccount, type TestAccount, ZONES } from "@gantry/test/support/account";
import { interceptor, type OnAwsCall } from "@gantry/test/support/aws-interceptor";
import { Crash, quietAwsEngine, runAllToEnd } from "@gantry/test/support/engine";
import { cloneDatabase, type TestDatabase, testEnv } from "@gantry/test/support/stack";
import { open, openIamRole, openNetwork, openSubnet } from "@gantry/test/support/work";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Aws } from "../aws/clients.js";
import { classifyAwsError } from "../aws/failures.js";
import type { Engine } from "../engine/engine.js";

let database: TestDatabase;
let engine: Engine<Aws>;
let env: ReturnType<typeof testEnv>;
// One for all: the emulator takes a second to fill a new account. What is whose is told by the tags.
let awsAccount: AwsAccount;

beforeAll(async () => {
  database = await cloneDatabase();
  env = testEnv(database);
  engine = quietAwsEngine(database, env);
  awsAccount = await aws.createAccount();
});
afterAll(() => database.drop());

type Counts = Partial<Record<keyof Inventory, number>>;

interface Scenario {
  /** Accepts the Request; what it needs beforehand is already made. Gives its id. */
  open(customer: TestAccount): Promise<string>;
  /** What is in AWS when it has succeeded, and when it has failed. */
  afterSuccess: Counts;
  afterFailure?: Counts;
  /** How many calls to break, where the rest are those of children, which are swept by themselves. */
  calls?: number;
}

const NETWORK = { vpc: 1, subnet: 2, internet_gateway: 1, route_table: 1 };

async function network(customer: TestAccount, skipSubnets: boolean): Promise<string> {
  const { networkId } = await openNetwork(database.db, customer, { skipSubnets });
  await runAllToEnd(engine, customer.accountId);
  return networkId;
}

async function subnetOf(customer: TestAccount): Promise<string> {
  const networkId = await network(customer, true);
  const { id } = await openSubnet(database.db, customer, networkId, "10.0.1.0/24", ZONES[0] as string);
  await runAllToEnd(engine, customer.accountId);
  return id;
}

const scenarios: Record<OperationName, Scenario> = {
  provision_network: {
    open: async (customer) => (await openNetwork(database.db, customer)).requestId,
    afterSuccess: NETWORK,
    afterFailure: {},
  },
  deprovision_network: {
    open: async (customer) => {
      const id = await network(customer, true);
      return open(database.db, customer, "deprovision_network", { type: "network", id }, {});
    },
    afterSuccess: {},
  },
  provision_subnet: {
    open: async (customer) => {
      const networkId = await network(customer, true);
      const subnet = await openSubnet(database.db, customer, networkId, "10.0.1.0/24", ZONES[1] as string);
      return subnet.requestId;
    },
    afterSuccess: { ...NETWORK, subnet: 1 },
    afterFailure: { ...NETWORK, subnet: 0 },
  },
  deprovision_subnet: {
    open: async (customer) => {
      const id = await subnetOf(customer);
      return open(database.db, customer, "deprovision_subnet", { type: "subnet", id }, {});
    },
    afterSuccess: { ...NETWORK, subnet: 0 },
  },
  provision_iam_role: {
    open: async (customer) => (await openIamRole(database.db, customer, { userManagedPolicy: true })).requestId,
    afterSuccess: { role: 1, policy: 1, instance_profile: 1 },
    afterFailure: {},
  },
  deprovision_iam_role: {
    open: async (customer) => {
      const { id } = await openIamRole(database.db, customer);
      await runAllToEnd(engine, customer.accountId);
      return open(database.db, customer, "deprovision_iam_role", { type: "iam_role", id }, {});
    },
    afterSuccess: {},
  },
  provision_provider: {
    open: ({ accountId, provider }) => {
      const resource = { type: "provider", id: provider.id } as const;
      return open(database.db, { accountId }, "provision_provider", resource, {});
    },
    afterSuccess: {},
    afterFailure: {},
    calls: 1,
  },
  discover_provider_locations: {
    open: ({ accountId, provider }) => {
      const resource = { type: "provider", id: provider.id } as const;
      return open(database.db, { accountId }, "discover_provider_locations", resource, {});
    },
    afterSuccess: {},
    calls: 1,
  },
  discover_provider_location: {
    open: async (customer) => {
      const where = { providerId: customer.provider.id, parentId: null };
      const { id } = await database.db.providerLocation.findFirstOrThrow({ where });
      return open(database.db, customer, "discover_provider_location", { type: "provider_location", id }, {});
    },
    afterSuccess: {},
  },
  cancel_provider: {
    open: ({ accountId, provider }) => {
      const resource = { type: "provider", id: provider.id } as const;
      return open(database.db, { accountId }, "cancel_provider", resource, {});
    },
    afterSuccess: {},
  },
};

const KINDS = ["vpc", "subnet", "internet_gateway", "route_table", "role", "instance_profile", "policy"] as const;
const NOTHING: Counts = Object.fromEntries(KINDS.map((kind) => [kind, 0]));

interface Outcome {
  point: string;
  accountId: string;
  calls: number;
  request: Request;
}

/** Runs the scenario with every call to AWS watched. */
async function play(
  scenario: Scenario,
  point: string,
  onCall: OnAwsCall,
  classify: Engine<Aws>["classify"] = classifyAwsError,
): Promise<Outcome> {
  const customer = await createTestAccount(database.db, env, awsAccount);
  const requestId = await scenario.open(customer);
  const { wrap, calls } = interceptor(onCall);
  const connect: Engine<Aws>["connect"] = async (...place) => wrap(await engine.connect(...place));
  await runAllToEnd({ ...engine, connect, classify }, customer.accountId);
  const request = await database.db.request.findUniqueOrThrow({ where: { id: requestId } });
  return { point, accountId: customer.accountId, calls: calls(), request };
}

const counted = new Map<Scenario, number>();

/** How many of the scenario's calls are to be broken. */
async function callsOf(scenario: Scenario): Promise<number> {
  let calls = counted.get(scenario);
  if (calls === undefined) {
    const whole = await play(scenario, "whole", () => {});
    expect(whole.request).toMatchObject({ successful: true, message: null });
    calls = Math.min(whole.calls, scenario.calls ?? whole.calls);
    counted.set(scenario, calls);
  }
  return calls;
}

/** Plays the scenario once for every moment before and after one of its calls, with `onCall` breaking that moment. */
async function playEveryMoment(
  scenario: Scenario,
  breaking: () => never,
  classify?: Engine<Aws>["classify"],
): Promise<Outcome[]> {
  const calls = await callsOf(scenario);
  const outcomes: Outcome[] = [];
  for (let nth = 1; nth <= calls; nth++) {
    const moments = (["before", "after"] as const).map((moment) => {
      const onCall: OnAwsCall = (n, when) => {
        if (n === nth && when === moment) breaking();
      };
      return play(scenario, `${moment} call ${nth}`, onCall, classify);
    });
    outcomes.push(...(await Promise.all(moments)));
  }
  return outcomes;
}

/** What each of the accounts has in AWS. */
async function countsOf(outcomes: Outcome[]): Promise<Map<string, Counts>> {
  const inventory = await aws.inventory(awsAccount, { kinds: [...KINDS] });
  // IAM's lists show no tags: there the name tells.
  const isOf = (accountId: string, { id, tags }: Found) =>
    tags["gantry:account"] === accountId || id === `role-${accountId.slice(0, 8)}`;
  return new Map(
    outcomes.map(({ point, accountId }) => [
      point,
      Object.fromEntries(KINDS.map((kind) => [kind, inventory[kind].filter((found) => isOf(accountId, found)).length])),
    ]),
  );
}

describe.each(Object.entries(scenarios))("%s", (type, scenario) => {
  const { afterSuccess, afterFailure } = scenario;
  const lastStage = OPERATIONS[type as OperationName].stages.at(-1);

  it("leaves exactly one of everything when its worker dies before or after any call to AWS", async () => {
    const die = () => {
      throw new Crash();
    };
    const outcomes = await playEveryMoment(scenario, die, (error) => {
      if (error instanceof Crash) throw error;
      return classifyAwsError(error);
    });
    const counts = await countsOf(outcomes);
    for (const { point, request } of outcomes) {
      const { successful, stage, message } = request;
      const made = counts.get(point);
      const wanted = { ...NOTHING, ...afterSuccess };
      expect({ point, successful, message, stage, made }).toEqual({
        point,
        successful: true,
        message: null,
        stage: lastStage,
        made: wanted,
      });
    }
  }, 120_000);

  if (!afterFailure) return;
  it("leaves nothing of its own when any call to AWS fails for good", async () => {
    const refuse = () => {
      throw Object.assign(new Error("no"), { name: "UnauthorizedOperation", $metadata: {} });
    };
    const outcomes = await playEveryMoment(scenario, refuse);
    const counts = await countsOf(outcomes);
    for (const { point, request } of outcomes) {
      const { successful, message, leakedResources } = request;
      expect({ point, successful, message, leakedResources, made: counts.get(point) }).toEqual({
        point,
        successful: false,
        message: "The provider's credentials lack a permission in AWS that this needs",
        leakedResources: [],
        made: { ...NOTHING, ...afterFailure },
      });
    }
  }, 120_000);
});
