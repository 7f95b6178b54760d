import { NOT_CALLED, STATEMENTS } from "@gantry/aws-facts";
import { markdownTable } from "../settings/pages.js";
import { READS_ABOUT } from "./policies.js";

const MARKED = /(<!-- Written by `npm run policies`\. -->\n\n).*?(\n<!-- End of policies\. -->)/s;

/** Returns a page of the docs with the current statements of the policies, and the actions that no call names. */
export function withStatements(page: string): string {
  const rows = [{ sid: "Read", about: READS_ABOUT, effect: undefined }, ...STATEMENTS];
  const statements = rows.map(({ sid, about, effect }) => [
    `\`${sid}\``,
    `${effect === "Deny" ? "denies: " : ""}${about}`,
  ]);
  const notCalled = Object.entries(NOT_CALLED).map(([action, reason]) => [`\`${action}\``, reason]);
  const parts = [
    markdownTable([["statement", "what it does"], ...statements]),
    "AWS asks for these actions although no call of Gantry has their name:\n",
    markdownTable([["action", "asked for by"], ...notCalled]),
  ];
  if (!MARKED.test(page)) throw new Error("The page has no markers for the statements.");
  return page.replace(MARKED, (_, start, end) => `${start}${parts.join("\n")}${end}`);
}
