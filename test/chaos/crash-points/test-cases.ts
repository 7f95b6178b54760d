import { createHash } from "node:crypto";
import { type RequestType, requestTypes } from "@gantry/requests";
import { isCloudCall } from "./points.js";

/** What happens at a moment: the worker dies, a cancel is accepted, AWS refuses, or a cancel is and removals fail. */
export type FaultKind = "death" | "cancel" | "refusal" | "leak";

/** One disturbance of one operation. */
export interface TestCase {
  fault: FaultKind;
  type: RequestType;
  point: string;
}

export function caseName({ fault, type, point }: TestCase): string {
  return `${fault} ${type}/${point}`;
}

/** @throws an Error where it is no name of a play */
export function parseCaseName(name: string): TestCase {
  const [, fault, type, point] = /^(death|cancel|refusal|leak) (\w+)\/(.+)$/.exec(name) ?? [];
  if (!fault || !type || !point || !Object.hasOwn(requestTypes, type)) throw new Error(`There is no point "${name}".`);
  return { fault: fault as FaultKind, type: type as RequestType, point };
}

/** A death at each moment of an operation. */
export function killCases(type: RequestType, points: string[]): TestCase[] {
  return points.map((point) => ({ fault: "death", type, point }));
}

/** A cancel at each moment of an operation that can be cancelled, and a refusal of each of its calls. */
export function cancelCases(type: RequestType, points: string[]): TestCase[] {
  const at = (fault: FaultKind) => (point: string) => ({ fault, type, point });
  const refusals = points.filter(isCloudCall).map(at("refusal"));
  if (requestTypes[type].onFailure !== "compensate") return refusals;
  const leaks = points.filter((point) => point.endsWith("/before finish")).map(at("leak"));
  return [...points.map(at("cancel")), ...leaks, ...refusals];
}

/** So many plays, of all operations alike; the same seed gives the same ones. */
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
