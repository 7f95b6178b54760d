import { version } from "@gantry/client";
import { Command } from "commander";
import { CommandError, EXIT } from "../exit-codes.js";
import { failureOf } from "../failures.js";
import { accountOf } from "../names.js";
import { print } from "../print.js";
import type { Session } from "../session.js";
import type { Builder } from "./builder.js";

interface Check extends Record<string, unknown> {
  check: string;
  ok: boolean;
  result: string;
}

export const build: Builder = (name, sessionOf) =>
  new Command(name).action(async (_options: object, command: Command) => doctor(sessionOf(command)));

async function doctor(session: Session): Promise<void> {
  const checks: Check[] = [];
  let exitCode: number = EXIT.done;
  /** Runs a check; the ones after it need it. */
  const check = async (name: string, act: () => Promise<string> | string): Promise<boolean> => {
    try {
      checks.push({ check: name, ok: true, result: await act() });
      return true;
    } catch (error) {
      const { message, hints, exitCode: code } = await failureOf(error);
      checks.push({ check: name, ok: false, result: [message, ...hints].join("; ") });
      exitCode ||= code;
      return false;
    }
  };
  const once = { maxRetries: 0, timeoutMs: 10_000 };
  const isAddressed = await check("address", () => {
    const context = session.context();
    if (!context) throw new CommandError("not known", EXIT.signIn, ["gantry login"]);
    return `${context.url}${context.name ? ` (context ${context.name})` : ""}`;
  });
  const isReached =
    isAddressed &&
    (await check("reached", async () => {
      const start = performance.now();
      const { version: api } = await session.anonymous().version.get(once);
      const ms = Math.round(performance.now() - start);
      return `version ${api} in ${ms} ms; this command is ${version}`;
    }));
  if (isReached) {
    await check("ready", async () => {
      const { body } = await session.anonymous().call("GET", "/health/ready", once);
      return typeof body === "object"
        ? Object.entries(body as object)
            .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
            .join(", ")
        : "yes";
    });
    const isSignedIn = await check("signed in", async () => {
      const { name, scopes, expires_at } = await session.gantry.tokens.current(once);
      return `${name}: ${scopes.join(", ")}; ${expires_at ? `ends ${expires_at}` : "does not end"}`;
    });
    if (isSignedIn) {
      const hasAccount = await check("account", () => accountOf(session));
      if (hasAccount) await accountChecks(session, check);
    }
  }
  await print(session, { document: { checks }, rows: checks, columns: ["check", "ok", "result"] });
  if (exitCode !== EXIT.done) throw new CommandError("not everything is well", exitCode);
}

async function accountChecks(
  session: Session,
  check: (name: string, act: () => Promise<string>) => Promise<boolean>,
): Promise<void> {
  const { gantry } = session;
  const account = await accountOf(session);
  await check("AWS accounts", async () => {
    const providers = await gantry.accounts.providers(account).toArray({ max: 100 });
    return `${providers.length}: ${providers.map(({ name, provisioned_id, id }) => name ?? provisioned_id ?? id).join(", ") || "gantry init shows how to add one"}`;
  });
  await check("unfinished requests", async () => {
    const page = await gantry.accounts.requests(account, { active: "true", per_page: 1 }).page();
    return String(page.total ?? page.items.length);
  });
  await check("left in AWS", async () => {
    const page = await gantry.accounts.leakedResources(account, { per_page: 1 }).page();
    return page.total ? `${page.total}; gantry accounts leaked-resources ${account}` : "nothing";
  });
}
