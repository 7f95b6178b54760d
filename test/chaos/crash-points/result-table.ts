import type { Result } from "./campaign.js";
import type { Harm } from "./test-cases.js";

const HARMS: Harm[] = ["death", "cancel", "leak", "refusal"];

/** What was played of each operation, for people to read. */
export function tableOf({ all, outcomes }: Result): string {
  const harms = HARMS.filter((harm) => all.some((play) => play.harm === harm));
  const rowOf = (name: string, isIn: (type: string) => boolean) => {
    const mine = outcomes.filter(({ play }) => isIn(play.type));
    const reached = mine.filter(({ isReached }) => isReached);
    return [
      name,
      all.filter(({ type }) => isIn(type)).length,
      ...harms.map((harm) => reached.filter(({ play }) => play.harm === harm).length),
      mine.length - reached.length,
      mine.filter(({ wrong }) => wrong.length > 0).length,
    ];
  };
  const types = [...new Set(all.map(({ type }) => type))];
  const rows = [
    ["", "points", ...harms, "missed", "wrong"],
    ...types.map((type) => rowOf(type, (each) => each === type)),
    rowOf("total", () => true),
  ];
  return rows
    .map(([name, ...cells]) => String(name).padEnd(38) + cells.map((cell) => String(cell).padStart(9)).join(""))
    .join("\n");
}
