import type { Inventory } from "@gantry/local-stack";
import type { RequestType } from "@gantry/requests";
import type { TestAccount } from "./account.js";
import type { TestDatabase, testEnv } from "./stack.js";

/** How many objects of each kind an account has in AWS. */
export type Counts = Partial<Record<keyof Inventory, number>>;

/** What a scenario works with: the database, the customer, and the way to bring earlier Requests to their end. */
export interface ScenarioContext {
  db: TestDatabase["db"];
  env: ReturnType<typeof testEnv>;
  customer: TestAccount;
  /** Runs all that is open to its end, undisturbed. */
  finishOpenRequests(): Promise<void>;
}

/** One request type, to be broken wherever it can break. */
export interface Scenario {
  /** Accepts the Request; what it needs beforehand is already made. Gives its id. */
  open(stage: ScenarioContext): Promise<string>;
  /** What is in AWS when it has succeeded, and when it has failed. A kind that is not named must not be there. */
  afterSuccess: Counts;
  afterFailure?: Counts;
  /** How many calls to break, where the rest are those of children, which are swept by themselves. */
  calls?: number;
  /** To break one call in so many, where children that are swept by themselves make most of them. */
  oneIn?: number;
}

export type Scenarios = Partial<Record<RequestType, Scenario>>;

/** What of an inventory is an account's, by kind. IAM's lists show no tags: there the name tells. */
export function countsOf(inventory: Inventory, accountId: string): Counts {
  const mark = accountId.slice(0, 8);
  const counts = Object.entries(inventory).map(([kind, found]) => {
    const own = found.filter(({ id, tags }) => tags["gantry:account"] === accountId || id === `role-${mark}`);
    return [kind, own.length] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
