import { Command } from "commander";
import { print } from "../print.js";
import type { Session } from "../session.js";
import type { Builder } from "./builder.js";

export const build: Builder = (name, sessionOf) =>
  new Command(name).action(async (_options: object, command: Command) => whoami(sessionOf(command)));

async function whoami(session: Session): Promise<void> {
  const { gantry } = session;
  const [user, token, accounts] = await Promise.all([
    gantry.users.current(),
    gantry.tokens.current(),
    gantry.accounts.list().toArray({ max: 100 }),
  ]);
  const context = session.context();
  await print(session, {
    document: { user, token, accounts, url: context?.url, context: context?.name ?? null },
    record: {
      name: user.name,
      email: user.email,
      context: context?.name ?? "(environment)",
      url: context?.url,
      token: token.name,
      scopes: token.scopes.join(", "),
      expires: token.expires_at ?? "never",
      accounts: accounts.map(({ name, id }) => `${name} (${id})`).join(", "),
    },
  });
}
