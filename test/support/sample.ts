import { createHash } from "node:crypto";
import { env } from "node:process";

/** Whether tests of many cases run all of them: campaigns do, while `npm test` draws a sample, another one for each commit. */
export const runsEveryCase = env.GANTRY_TEST_CASES === "all";

/**
 * Returns `count` of the cases in their order, or every case in a campaign. The draw depends only on the seed of the run
 * (the commit, unless `GANTRY_TEST_SEED` is set) and on `name`, so that a failure repeats.
 */
export function sample<Case>(cases: readonly Case[], count: number, name: string): Case[] {
  if (runsEveryCase) return [...cases];
  const rank = (index: number) => createHash("sha256").update(`${env.GANTRY_TEST_SEED} ${name} ${index}`).digest("hex");
  const drawn = cases
    .map((_, index) => ({ index, rank: rank(index) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
    .slice(0, count);
  const indexes = new Set(drawn.map(({ index }) => index));
  return cases.filter((_, index) => indexes.has(index));
}
