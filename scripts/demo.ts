import { Gantry, type Pages } from "@gantry/client";
import colors from "picocolors";
import { type AwsKeys, AwsView } from "./demo-aws.js";
import { changeWhatStands } from "./demo-day-two.js";
import { follow } from "./demo-progress.js";
import { type LocalGantry, startLocalGantry, writeConnectionFile } from "./local-gantry.js";

const REGION = "us-east-1";
const ROLE = "gantry-demo";

if (process.argv.includes("--help")) {
  console.log(`Usage: npm run demo [-- --day-two] [--keep]

Starts Gantry on an emulated AWS. Provisions a network, an IAM role, an environment of three servers with a scaling group,
and a database through the API, shows them in AWS, and removes them. To use another AWS, set AWS_ENDPOINT_URL,
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.

  --day-two  also changes what stands: a server, a disk and a database, each after its plan; and restores the database
  --keep     removes nothing and keeps Gantry running`);
  process.exit(0);
}

const startedAt = Date.now();
const printHeading = (sentence: string) => console.log(`\n${colors.bold(sentence)}`);
const keep = process.argv.includes("--keep");
let gantry: LocalGantry | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void stop(130));

try {
  printHeading("Starting PostgreSQL, Redis, AWS, the API and a worker");
  gantry = await startLocalGantry({
    name: "demo",
    ephemeral: true,
    catalogue: "today",
    report: (sentence) => console.log(`  ${sentence}`),
  });
  console.log(`  ${gantry.baseUrl} is ready after ${seconds()} s`);
  await runDemo(gantry);
  printHeading(colors.green(`Done in ${seconds()} s.`));
  if (keep) keepRunning(gantry);
  else await stop(0);
} catch (error) {
  console.error(colors.red(`\n${error instanceof Error ? error.message : error}`));
  await stop(1);
}

async function runDemo({ baseUrl, firstKeys, account, stack }: LocalGantry): Promise<void> {
  const keys = (await stack.aws?.createAccount()) ?? keysFromEnvironment();
  const aws = new AwsView(stack.awsEndpoint, REGION, keys);

  printHeading("Signing in and adding an AWS account as provider");
  const client = new Gantry({ baseUrl, account, token: await signIn(baseUrl, firstKeys) });
  const { name } = await client.users.current();
  const credentials = { access_key_id: keys.accessKeyId, secret_access_key: keys.secretAccessKey };
  const [{ id: provider, provisioned_id }] = await follow([
    await client.providers.create({ provider: { type: "aws", name: "demo", credentials } }),
  ]);
  console.log(`  ${name} has provider ${provider}: the AWS account ${provisioned_id}`);

  printHeading("Provisioning a network with subnets, and an IAM role");
  const [network, role] = await follow([
    await client.networks.create({ provider, network: { cidr: "10.20.0.0/16", location: REGION } }),
    await client.iamRoles.create({
      provider,
      iam_role: { name: ROLE, policy: "EFSBackupPolicy", user_managed_policy: true },
    }),
  ]);

  printHeading("Booting an environment and provisioning a database");
  const application = await client.applications.create({
    application: { name: "shop", type: "rails4", repository: "git@example.com:shop.git" },
  });
  const environment = await client.environments.create({
    network: network.id,
    environment: { name: "shop", application_id: application.id },
  });
  const [, database] = await follow([
    await client.environments.boot(environment, { cluster_configuration: { configuration: { type: "cluster" } } }),
    await client.databaseServices.create({
      provider,
      network: network.id,
      database_service: { name: "shop" },
      database_server: {
        engine: "postgres",
        version: "16",
        flavor: "db.t4g.medium",
        location: `${REGION}a`,
        storage: 100,
      },
    }),
  ]);

  printHeading("Scaling its application servers");
  await follow([
    await client.autoScalingGroups.create({
      environment: environment.id,
      auto_scaling_group: { minimum_size: 1, maximum_size: 3 },
    }),
  ]);

  await printObjects(client, aws, account);
  if (process.argv.includes("--day-two")) await changeWhatStands(client, printHeading);
  if (keep) return;

  printHeading("Removing everything");
  await follow([
    await client.environments.delete(environment),
    await client.databaseServices.delete(database, { final_snapshot: false }),
  ]);
  await client.applications.delete(application);
  const subnets = await client.subnets.list().toArray({ max: 100 });
  await follow(
    await Promise.all([...subnets.map((subnet) => client.subnets.delete(subnet)), client.iamRoles.delete(role)]),
  );
  await follow([await client.networks.delete(network)]);
  const remaining = await aws.objects(account, [ROLE]);
  aws.close();
  const inventory = await stack.aws?.inventory(keys);
  for (const [kind, found] of Object.entries(inventory ?? {}))
    remaining.push(...found.map(({ id }) => `${kind} ${id}`));
  if (remaining.length > 0) throw new Error(`These objects remain in AWS: ${remaining.join(", ")}`);
  console.log(`  ${colors.green("No object remains in AWS.")}`);
}

async function signIn(baseUrl: string, keys: LocalGantry["firstKeys"]): Promise<string> {
  const { api_token } = await new Gantry({ baseUrl }).tokens.create({
    email: keys?.email,
    password: keys?.password,
    token: { name: "demo", scopes: ["read", "write", "admin"] },
  });
  return api_token ?? "";
}

async function printObjects(client: Gantry, aws: AwsView, account: string): Promise<void> {
  printHeading("Listing the records and the objects in AWS");
  console.log(`  ${colors.underline("the API's records")}`);
  await print(client.networks.list(), ({ provisioned_id, cidr }) => `network ${provisioned_id} ${cidr}`);
  await print(
    client.subnets.list(),
    ({ provisioned_id, cidr, location }) => `subnet ${provisioned_id} ${cidr} ${location}`,
  );
  await print(client.iamRoles.list(), ({ arn, policy_arn }) => `role ${arn} with ${policy_arn}`);
  await print(
    client.environments.list(),
    ({ name, vpc_provisioned_id }) => `environment ${name} in ${vpc_provisioned_id}`,
  );
  await print(
    client.servers.list(),
    ({ role, provisioned_id, state, location }) => `server ${role} ${provisioned_id} ${state} in ${location}`,
  );
  await print(
    client.autoScalingGroups.list(),
    (group) => `auto scaling group ${group.provisioned_id} with a desired capacity of ${group.desired_capacity}`,
  );
  await print(
    client.databaseServers.list(),
    ({ engine, version, endpoint }) => `database ${engine} ${version} at ${endpoint}`,
  );
  console.log(`  ${colors.underline("the objects in AWS")}`);
  for (const object of await aws.objects(account, [ROLE])) console.log(`    ${object}`);
}

async function print<Item>(list: Pages<Item>, describe: (item: Item) => string): Promise<void> {
  for await (const item of list) console.log(`    ${describe(item)}`);
}

function keysFromEnvironment(): AwsKeys {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  if (!accessKeyId || !secretAccessKey) {
    throw new Error("Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key pair that works at AWS_ENDPOINT_URL.");
  }
  return { accessKeyId, secretAccessKey };
}

function keepRunning(running: LocalGantry): void {
  const removeConnectionFile = writeConnectionFile(running);
  process.on("exit", removeConnectionFile);
  console.log(`  API            ${running.baseUrl}
  documentation  ${running.baseUrl}/docs
  token          ${running.token}
  AWS            ${running.stack.awsEndpoint}
  for scripts    .gantry/local.json
Ctrl-C stops it.`);
}

async function stop(code: number): Promise<never> {
  await gantry?.stop();
  process.exit(code);
}

function seconds(): string {
  return ((Date.now() - startedAt) / 1000).toFixed(1);
}
