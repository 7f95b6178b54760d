/** What the exit code of `gantry` says; `--help` shows the same table. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrongUse: 2,
  signIn: 3,
  notAllowed: 4,
  notFound: 5,
  conflict: 6,
  waitedEnough: 7,
  cancelled: 8,
  unreachable: 9,
  differs: 10,
  leaked: 11,
  interrupted: 130,
} as const;

export const EXIT_CODES = `Exit codes:
  0  done                              6  conflict: something is in the way
  1  the work failed                   7  waited long enough; the work goes on
  2  wrong use or input                8  cancelled
  3  sign in (again)                   9  Gantry was not reached
  4  not allowed, or answered "no"    10  changes or drift exist (--exit-code)
  5  not found                        11  ended, and something is left in AWS
                                     130  Ctrl-C; the work goes on`;

/** An end of the command with a sentence for its user, and what to do next. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.wrongUse,
    readonly hints: readonly string[] = [],
  ) {
    super(message);
  }
}
