import { type ParseArgsConfig, parseArgs } from "node:util";

/** Reads the options of a command. `--help` prints `usage` and exits with 0; an unknown option prints it and exits with 2. */
export function readOptions<const Options extends NonNullable<ParseArgsConfig["options"]>>(
  usage: string,
  options: Options,
) {
  if (process.argv.includes("--help")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return quit(`${(error as Error).message}\n\n${usage}`);
  }
}

/** The value of an option as a whole number from 1 on; anything else ends the command. */
export function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) quit(`--${name} takes a whole number from 1 on.`);
  return number;
}

/** Ends a command that was called with wrong options: exit code 2. */
export function quit(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
