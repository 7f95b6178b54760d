const FIRST_MS = 100;
const LONGEST_MS = 10_000;

/** Returns the pause after the `failures`-th failure in a row, from 1: it grows from 100 ms to 10 s. */
export function growingPauseMs(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
}
