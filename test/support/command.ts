import { type ParseArgsConfig, parseArgs } from "node:util";

/** Reads the options of a command; `--help` prints how it is used and ends, and so does an option that it does not have. */
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

/** The whole number from 1 on that an option was given; ends the command where it is none. */
export function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) quit(`--${name} takes a whole number from 1 on.`);
  return number;
}

/** Ends the command: it was not called as it can be. */
export function quit(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
