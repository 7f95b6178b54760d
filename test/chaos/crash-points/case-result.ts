import { inspect, isDeepStrictEqual } from "node:util";
import type { Request } from "@gantry/db";
import type { Inventory } from "@gantry/local-stack";
import { requestTypes } from "@gantry/requests";
import { countsOf } from "../../support/scenario.js";
import type { TestCase } from "./test-cases.js";
import type { AcceptedRequest } from "./test-system.js";

/** How a play ended. */
export interface CaseResult {
  testCase: TestCase;
  /** False where the moment did not come. */
  isReached: boolean;
  /** What is not as it must be. */
  violations: string[];
}

/** What is different, as a sentence; nothing where all is as expected. */
export function differences(what: string, expected: object, seen: object): string[] {
  if (isDeepStrictEqual(seen, expected)) return [];
  const show = (value: object) => inspect(value, { depth: 5, breakLength: Number.POSITIVE_INFINITY });
  return [`${what}: expected ${show(expected)}, saw ${show(seen)}`];
}

/** What is wrong with a Request that must have ended well, with exactly one of everything in AWS. */
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
      made: scenario.afterSuccess,
    },
    { successful, message, stage, leakedResources, made: countsOf(inventory, accountId) },
  );
}

/** The result of each, or what it was thrown. */
export async function settled<T>(works: Promise<T>[]): Promise<(T | Error)[]> {
  const results = await Promise.allSettled(works);
  return results.map((result) => {
    if (result.status === "fulfilled") return result.value;
    return result.reason instanceof Error ? result.reason : new Error(String(result.reason));
  });
}
