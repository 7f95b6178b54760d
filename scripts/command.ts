import { type ParseArgsConfig, parseArgs } from "node:util";
import colors from "picocolors";

type Options = NonNullable<ParseArgsConfig["options"]>;
/** The values of a command's options. */
export type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>["values"];

/**
 * Runs a command and sets the exit code that `run` returns. `--help` prints `help`; an error prints its sentence and
 * ends with 2.
 */
export async function runCommand<const O extends Options>(
  help: string,
  options: O,
  run: (values: Values<O>) => Promise<number>,
): Promise<void> {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: "boolean" } } });
    if ("help" in values) console.log(help);
    else process.exitCode = await run(values as Values<O>);
  } catch (error) {
    console.error(colors.red((error as Error).message));
    process.exitCode = 2;
  }
}
