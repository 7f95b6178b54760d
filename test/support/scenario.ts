import { isDeepStrictEqual } from "node:util";
import type { Request } from "@gantry/db";
import type { Inventory } from "@gantry/local-stack";
import type { InputOf, RequestType, requestTypes } from "@gantry/resources";
import { type Aws, awsOpener } from "@gantry/worker";
import type { Engine } from "@gantry/worker/engine";
import { REGION, type TestAccount } from "./account.js";
import { runAllToEnd } from "./engine.js";
import type { TestDatabase, testEnv } from "./stack.js";

/** The number of objects of each kind that an account has in AWS. */
export type Counts = Partial<Record<keyof Inventory, number>>;

/** The context of one run of a scenario, in its own account. */
export interface ScenarioContext {
  db: TestDatabase["db"];
  env: ReturnType<typeof testEnv>;
  customer: TestAccount;
  /** The account's AWS, without the interruptions of the test. */
  aws: Aws;
  /** Runs all unfinished Requests to their end, without interruptions. */
  finishRequests(): Promise<void>;
}

/** A Request of one type, created so that a test can interrupt it at any of its calls to AWS. */
export interface Scenario<Type extends RequestType = RequestType> {
  /** Creates what the Request needs, creates the Request and returns its id. */
  createRequest(context: ScenarioContext): Promise<string>;
  /** The objects in AWS after the Request has succeeded; none of the kinds that are not named. */
  afterSuccess: Counts;
  /** The objects in AWS after the Request has failed and was rolled back. */
  afterFailure?: Counts;
  /** The objects that it may leave instead, if it fails after what cannot be undone. */
  afterLateFailure?: readonly Counts[];
  /** Asserts what the Request has changed once it has succeeded, in the records and in AWS. */
  verify?(context: ScenarioContext, request: { resourceId: string; input: InputOf<Type> }): Promise<void>;
  /** The number of calls to interrupt, if the others are those of children with their own scenarios. */
  calls?: number;
  /** Interrupts one call in this many, if most calls are made by children with their own scenarios, or only read. */
  oneIn?: number;
}

type Creating = { onFailure: "compensate"; creates: readonly string[] };

/** Counts of objects show the outcome of a type that creates objects. The others must verify theirs. */
type ScenarioOf<Type extends RequestType> = Scenario<Type> &
  Required<Pick<Scenario<Type>, (typeof requestTypes)[Type] extends Creating ? "afterFailure" : "verify">>;

export type Scenarios = { [Type in RequestType]?: ScenarioOf<Type> };

/** The objects in AWS that are right after a failure, given those that there are. */
export function rightAfterFailure(
  { afterFailure, afterLateFailure = [] }: Scenario,
  counts: Counts,
): Counts | undefined {
  return afterLateFailure.find((each) => isDeepStrictEqual(each, counts)) ?? afterFailure;
}

export function scenarioContext(
  engine: Engine<Aws>,
  options: Pick<ScenarioContext, "db" | "env" | "customer">,
): ScenarioContext {
  const { accountId, awsAccount } = options.customer;
  const aws = awsOpener(10)(REGION, awsAccount);
  return { ...options, aws, finishRequests: () => runAllToEnd(engine, accountId) };
}

/** The assertion of the scenario that a successful Request violates, or undefined. */
export async function failedAssertion(
  { verify }: Scenario,
  context: ScenarioContext,
  { resourceId, input }: Request,
): Promise<string | undefined> {
  try {
    await verify?.(context, { resourceId: resourceId ?? "", input: input as InputOf<RequestType> });
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/**
 * An account's part of an inventory, as counts by kind. IAM's lists show no tags: the account's names identify its
 * objects.
 */
export function countsOf(inventory: Inventory, accountId: string): Counts {
  const prefix = accountId.slice(0, 8);
  const counts = Object.entries(inventory).map(([kind, found]) => {
    const own = found.filter(({ id, tags }) => tags["gantry:account"] === accountId || id === `role-${prefix}`);
    return [kind, own.length] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
