import { READS_ABOUT } from "./policies.js";
import { NOT_CALLED, POLICIES, STATEMENTS } from "./statements.js";

/** The page for operators about the statements of the policies, and the actions that no call names. */
export function statementsPage(): string {
  const rows = [{ sid: "Read", about: READS_ABOUT, effect: undefined }, ...STATEMENTS];
  const statements = rows.map(
    ({ sid, about, effect }) => `| \`${sid}\` | ${effect === "Deny" ? "denies: " : ""}${about} |`,
  );
  const notCalled = Object.entries(NOT_CALLED).map(([action, reason]) => `| \`${action}\` | ${reason} |`);
  const policies = Object.entries(POLICIES).map(([name, services]) => `- \`${name}\`: ${services.join(", ")}`);
  return [
    "# The statements of the policies",
    "Written by `npm run policies`. A policy of AWS holds 6,144 characters, so that a provider's role has several:",
    policies.join("\n"),
    ["| statement | what it does |", "| --- | --- |", ...statements].join("\n"),
    "AWS asks for these actions although no call of Gantry has their name:",
    ["| action | asked for by |", "| --- | --- |", ...notCalled].join("\n"),
  ]
    .join("\n\n")
    .concat("\n");
}
