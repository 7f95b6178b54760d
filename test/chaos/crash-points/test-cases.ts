import { createHash } from "node:crypto";
import { type RequestType, requestTypes } from "@gantry/resources";
import { isCloudCall } from "./points.js";

/**
 * The fault at a point: the worker dies, a cancel is accepted, AWS refuses the call, or AWS refuses all removals after a
 * cancel. A sample is drawn by these names: another name draws other cases from the same seed.
 */
export type FaultKind = "death" | "cancel" | "refusal" | "leak";

/** One fault at one point of a request type. */
export interface TestCase {
  fault: FaultKind;
  type: RequestType;
  point: string;
}

export function caseName({ fault, type, point }: TestCase): string {
  return `${fault} ${type}/${point}`;
}

/** @throws an Error if `name` names no case */
export function parseCaseName(name: string): TestCase {
  const [, fault, type, point] = /^(death|cancel|refusal|leak) (\w+)\/(.+)$/.exec(name) ?? [];
  if (!fault || !type || !point || !Object.hasOwn(requestTypes, type)) throw new Error(`There is no point "${name}".`);
  return { fault: fault as FaultKind, type: type as RequestType, point };
}

/** A worker death at each point. */
export function killCases(type: RequestType, points: string[]): TestCase[] {
  return points.map((point) => ({ fault: "death", type, point }));
}

/** A refusal of each call, and a cancel at each point of a request type that can be cancelled. */
export function cancelCases(type: RequestType, points: string[]): TestCase[] {
  const at = (fault: FaultKind) => (point: string) => ({ fault, type, point });
  const refusals = points.filter(isCloudCall).map(at("refusal"));
  if (requestTypes[type].onFailure !== "compensate") return refusals;
  const leaks = points.filter((point) => point.endsWith("/before finish")).map(at("leak"));
  return [...points.map(at("cancel")), ...leaks, ...refusals];
}

/** Draws `size` cases, evenly from all request types. The same seed draws the same cases. */
export function sampleCases(cases: TestCase[], size: number, seed: string): TestCase[] {
  const digest = (testCase: TestCase) =>
    createHash("sha256")
      .update(`${seed} ${caseName(testCase)}`)
      .digest("hex");
  const shuffled = cases
    .map((testCase) => ({ testCase, order: digest(testCase) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1));
  const seen = new Map<string, number>();
  const ranked = shuffled.map(({ testCase }) => {
    const rank = seen.get(testCase.type) ?? 0;
    seen.set(testCase.type, rank + 1);
    return { testCase, rank };
  });
  ranked.sort((a, b) => a.rank - b.rank);
  return ranked.slice(0, size).map(({ testCase }) => testCase);
}
