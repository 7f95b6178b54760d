import { appendFileSync, readFileSync } from "node:fs";
import { type AuditHead, verifyAudit } from "@gantry/client";
import { Command } from "commander";
import { CommandError, EXIT } from "../exit-codes.js";
import { accountOf } from "../names.js";
import { print } from "../print.js";
import type { Session } from "../session.js";
import type { Builder } from "./builder.js";

const INSTALLATION = "00000000-0000-0000-0000-000000000000";

interface Options {
  installation?: boolean;
  heads?: string;
  keep?: string;
  allowUnchecked?: boolean;
}

export const build: Builder = (name, sessionOf) =>
  new Command(name)
    .description("Compute every hash of the account's audit again, and find records that were changed or removed")
    .option("--installation", "the audit that belongs to no single account; for staff")
    .option("--heads <file>", "compare earlier ends of the chain, from --keep or from AUDIT_HEADS_FILE of the workers")
    .option("--keep <file>", "append the end of a whole chain to a file, for later --heads")
    .option(
      "--allow-unchecked",
      "accept without checking them the records of version 0.1 that show a URL with a hidden part",
    )
    .action(async (options: Options, command: Command) => verify(sessionOf(command), options));

async function verify(session: Session, options: Options): Promise<void> {
  const { installation, heads: file, keep, allowUnchecked } = options;
  const account = installation ? undefined : await accountOf(session);
  const chain = account ?? INSTALLATION;
  const heads = file === undefined ? [] : headsIn(file).filter((head) => head.chain === chain);
  const records = session.gantry.auditRecords(account, { reason: session.options.reason });
  const check = await verifyAudit(records, { heads });
  const { head, findings, unchecked } = check;
  const isWhole = findings.length === 0 && (allowUnchecked || unchecked.length === 0);
  if (isWhole && head && keep !== undefined)
    appendFileSync(keep, `${JSON.stringify({ time: new Date().toISOString(), chain, ...head })}\n`);
  const lines = [
    ...findings.map(({ position, id, found }) => `record ${position} ${found}${id ? `  ${id}` : ""}`),
    ...unchecked.map((position) => `record ${position} not checked`),
  ];
  const counts = [
    `${check.records} records`,
    ...(head ? [`last ${head.hash.slice(0, 8)}… at position ${head.position}`] : []),
    `${heads.length} earlier ends compared`,
    ...(unchecked.length > 0
      ? [`${unchecked.length} not checked, as they show a URL with a hidden part: npm run audit:verify checks them`]
      : []),
  ].join(", ");
  await print(session, { document: { audit: { chain, ...check, heads: heads.length } }, record: {} });
  const fault = findings.length > 0 ? "the audit is not what was written" : "not all of the audit could be checked";
  if (!isWhole) throw new CommandError(`${fault}: ${counts}`, EXIT.failed, lines);
  if (!session.options.quiet) session.terminal.err.write(`The chain is whole: ${counts}.\n`);
}

function headsIn(file: string): AuditHead[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandError(`--heads: ${file} cannot be read: ${(error as Error).message}`);
  }
  return text
    .split("\n")
    .map((line, index) => [line, index + 1] as const)
    .filter(([line]) => line.trim() !== "")
    .map(([line, number]) => {
      const head = parsed(line);
      if (!head) throw new CommandError(`--heads: line ${number} of ${file} is not the end of a chain`);
      return head;
    });
}

function parsed(line: string): AuditHead | undefined {
  try {
    const { chain, position, hash } = JSON.parse(line) as AuditHead;
    return typeof chain === "string" && typeof hash === "string"
      ? { chain, position: Number(position), hash }
      : undefined;
  } catch {
    return undefined;
  }
}
