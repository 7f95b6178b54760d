import { CommandError, EXIT } from "./exit-codes.js";

/** The longest time of a timer; Node would end a longer one at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Reads the value of `--timeout`.
 *
 * @param text such as `90`, `90s`, `10m` or `2h`
 * @returns milliseconds
 * @throws CommandError for any other text, and for more than 596 hours
 */
export function millisecondsOf(text: string): number {
  const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)(s|m|h)?$/.exec(text) ?? [];
  if (amount === undefined)
    throw new CommandError(`--timeout: ${text} is not a duration`, EXIT.wrongUse, ["such as 90s, 10m or 2h"]);
  const milliseconds = Number(amount) * { s: 1000, m: 60_000, h: 3_600_000 }[unit as "s" | "m" | "h"];
  if (milliseconds > LONGEST_MS)
    throw new CommandError(`--timeout: ${text} is too long`, EXIT.wrongUse, [
      "at most 596h; without it, there is no end",
    ]);
  return milliseconds;
}
