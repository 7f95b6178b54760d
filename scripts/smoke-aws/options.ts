import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const USAGE = `Usage: npm run smoke:aws -- [options]

Provisions one small resource of each kind in AWS with a running Gantry (a network, a role, a server with a disk, a snapshot and a
server from it, a scaling group, a database), stops and starts the server, resizes the group, and removes everything.
Then lists what remains in AWS. --minutes and --dollars limit the run.

GANTRY_URL and GANTRY_TOKEN select the Gantry; the default is a running "npm start". Listing uses the SDK's own credentials:
set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, of the provider's AWS account.

  --provider ID   the provider (default: the only one)
  --region NAME   the region (default: us-east-1)
  --minutes N     stops and removes everything after N minutes (default: 60)
  --dollars N     stops and removes everything when it has cost $N by Gantry's estimate (default: 1)
  --sweep         removes what remains with direct calls to AWS
  --fixtures DIR  records AWS's descriptions of the objects, without secrets, ids and account numbers
  --yes           required unless AWS is emulated, because the run costs money

Exit code: 0 if every step succeeded and nothing remains, 2 for an invalid option, 1 otherwise.`;

export interface Options {
  url: string;
  token: string;
  /** Undefined for AWS itself. */
  awsEndpoint: string | undefined;
  provider: number | undefined;
  region: string;
  minutes: number;
  dollars: number;
  sweep: boolean;
  fixtures: string | undefined;
  yes: boolean;
}

/** The options of the command line and the environment. Ends the process for `--help` and for a wrong option. */
export function readOptions(): Options {
  const values = parse();
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const { url, token, awsEndpoint } = readConnection();
  return {
    ...{ url, token, awsEndpoint },
    provider: values.provider === undefined ? undefined : positive("provider", values.provider),
    region: values.region,
    minutes: positive("minutes", values.minutes),
    dollars: positive("dollars", values.dollars),
    sweep: values.sweep,
    fixtures: values.fixtures,
    yes: values.yes,
  };
}

function parse() {
  try {
    return parseArgs({
      options: {
        provider: { type: "string" },
        region: { type: "string", default: "us-east-1" },
        minutes: { type: "string", default: "60" },
        dollars: { type: "string", default: "1" },
        fixtures: { type: "string" },
        sweep: { type: "boolean", default: false },
        yes: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return quit(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function readConnection(): { url: string; token: string; awsEndpoint: string | undefined } {
  const { GANTRY_URL: url, GANTRY_TOKEN: token, AWS_ENDPOINT_URL: endpoint } = process.env;
  if (url && token) return { url, token, awsEndpoint: endpoint || undefined };
  const file = fileURLToPath(new URL("../../.gantry/local.json", import.meta.url));
  if (!existsSync(file)) return quit("Set GANTRY_URL and GANTRY_TOKEN, or start Gantry: npm start -- --aws");
  const local = JSON.parse(readFileSync(file, "utf8")) as { base_url: string; token: string; aws_endpoint: string };
  const isUrl = URL.canParse(local.aws_endpoint);
  return { url: local.base_url, token: local.token, awsEndpoint: isUrl ? local.aws_endpoint : undefined };
}

function positive(name: string, text: string): number {
  const number = Number(text);
  return number > 0 && Number.isFinite(number) ? number : quit(`--${name} requires a number greater than 0.`);
}

/** Ends the process for a wrong option. */
export function quit(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
