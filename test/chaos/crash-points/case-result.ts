import { inspect, isDeepStrictEqual } from "node:util";
import type { Request } from "@gantry/db";
import type { Inventory } from "@gantry/local-stack";
import { requestTypes } from "@gantry/resources";
import { countsOf } from "../../support/scenario.js";
import type { TestCase } from "./test-cases.js";
import type { AcceptedRequest } from "./test-system.js";

export interface CaseResult {
  testCase: TestCase;
  /** False if the Request never passed the point. */
  isReached: boolean;
  violations: string[];
}

/** A sentence about the difference; empty if both are equal. */
export function differences(what: string, expected: object, actual: object): string[] {
  if (isDeepStrictEqual(actual, expected)) return [];
  const show = (value: object) => inspect(value, { depth: 5, breakLength: Number.POSITIVE_INFINITY });
  return [`${what}: expected ${show(expected)}, got ${show(actual)}`];
}

/** The violations of a Request that must have succeeded with exactly one of everything in AWS. */
export function successViolations(
  { type, scenario, accountId }: AcceptedRequest,
  request: Request,
  inventory: Inventory,
) {
  const { successful, message, stage, leakedResources } = request;
  return differences(
    "the end",
    {
      successful: true,
      message: null,
      stage: requestTypes[type].stages.at(-1),
      leakedResources: [],
      created: scenario.afterSuccess,
    },
    { successful, message, stage, leakedResources, created: countsOf(inventory, accountId) },
  );
}

/** The result of each promise, or its error. */
export async function settled<T>(promises: Promise<T>[]): Promise<(T | Error)[]> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === "fulfilled") return result.value;
    return result.reason instanceof Error ? result.reason : new Error(String(result.reason));
  });
}
