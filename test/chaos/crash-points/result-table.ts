import type { Result } from "./campaign.js";
import type { FaultKind } from "./test-cases.js";

const FAULTS: FaultKind[] = ["death", "cancel", "leak", "refusal"];

/** The results of each request type as a table. */
export function formatTable({ all, results }: Result): string {
  const faults = FAULTS.filter((fault) => all.some((testCase) => testCase.fault === fault));
  const rowOf = (name: string, isIn: (type: string) => boolean) => {
    const own = results.filter(({ testCase }) => isIn(testCase.type));
    const reached = own.filter(({ isReached }) => isReached);
    return [
      name,
      all.filter(({ type }) => isIn(type)).length,
      ...faults.map((fault) => reached.filter(({ testCase }) => testCase.fault === fault).length),
      own.length - reached.length,
      own.filter(({ violations }) => violations.length > 0).length,
    ];
  };
  const types = [...new Set(all.map(({ type }) => type))];
  const rows = [
    ["", "points", ...faults, "missed", "wrong"],
    ...types.map((type) => rowOf(type, (each) => each === type)),
    rowOf("total", () => true),
  ];
  return rows
    .map(([name, ...cells]) => String(name).padEnd(38) + cells.map((cell) => String(cell).padStart(9)).join(""))
    .join("\n");
}
