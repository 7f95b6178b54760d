import { Command } from "commander";
import { accountOf } from "../names.js";
import type { Session } from "../session.js";
import type { Builder } from "./builder.js";

export const build: Builder = (name, sessionOf) =>
  new Command(name).action(async (_options: object, command: Command) => init(sessionOf(command)));

/** Shows what is there, and the commands for what is next. */
async function init(session: Session): Promise<void> {
  const { gantry, terminal } = session;
  const account = await accountOf(session);
  const [provider, network, environment] = await Promise.all([
    gantry.accounts.providers(account).first(),
    gantry.networks.list().first(),
    gantry.environments.list({ account }).first(),
  ]);
  const zone = "us-east-1";
  const steps = [
    {
      title: "1. An AWS account, in which Gantry builds",
      done: provider && `${provider.name ?? provider.id}`,
      lines: [
        "gantry login --admin    # only such a token may add it",
        "gantry providers create --type aws --access-key-id AKIA… --secret-access-key-stdin < SECRET_FILE",
      ],
    },
    {
      title: "2. A network",
      done: network && `${network.name ?? network.id}`,
      lines: [
        `gantry networks create --name first --cidr 10.0.0.0/16 --location ${zone} --dry-run    # what it makes, and its price`,
        `gantry networks create --name first --cidr 10.0.0.0/16 --location ${zone}`,
      ],
    },
    {
      title: "3. An environment with a server",
      done: environment?.name,
      lines: [
        "gantry applications create --name shop --type rack --repository git@example.com:shop.git",
        `gantry environments create --name staging --application-id shop --region ${zone} --network first`,
        "gantry environments boot staging --type solo --dry-run",
        "gantry environments boot staging --type solo",
        "gantry servers list --environment staging",
      ],
    },
    {
      title: "And back to nothing",
      done: undefined,
      lines: [
        "gantry environments delete staging",
        "gantry subnets list --network first    # and gantry subnets delete ID for each",
        "gantry networks delete first",
      ],
    },
  ];
  for (const { title, done, lines } of steps) {
    terminal.out.write(
      `${done ? `${terminal.style("green", "✓")} ${title}: ${done}` : terminal.style("bold", title)}\n`,
    );
    if (!done) terminal.out.write(`${lines.map((line) => `  ${line}\n`).join("")}\n`);
  }
}
