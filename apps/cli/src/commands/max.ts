import { CommandError } from "../exit-codes.js";

/** How many records a list shows without `--max`. */
export const DEFAULT_MAX = 100;

/** @throws CommandError if `--max` is not a whole number above 0 */
export function maxOf(given: unknown): number {
  const number = Number(given ?? DEFAULT_MAX);
  if (Number.isInteger(number) && number >= 1) return number;
  throw new CommandError(`--max: ${given} is not a whole number above 0`);
}
