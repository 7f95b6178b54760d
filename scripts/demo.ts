import colors from "picocolors";
import { type AwsKeys, AwsView } from "./demo-aws.js";
import { Client, type RequestRecord } from "./demo-client.js";
import { follow } from "./demo-progress.js";
import { type LocalGantry, startLocalGantry, writeConnectionFile } from "./local-gantry.js";

const REGION = "us-east-1";
const ROLE = "gantry-demo";

type ApiRecord = Record<string, unknown>;

/** The lists to print, with the text of each record. */
const LISTS: [path: string, describe: (record: ApiRecord) => string][] = [
  ["/networks", (network) => `network ${network.provisioned_id} ${network.cidr}`],
  ["/subnets", (subnet) => `subnet ${subnet.provisioned_id} ${subnet.cidr} ${subnet.location}`],
  ["/iam_roles", (role) => `role ${role.arn} with ${role.policy_arn}`],
  ["/environments", (environment) => `environment ${environment.name} in ${environment.vpc_provisioned_id}`],
  ["/servers", (server) => `server ${server.role} ${server.provisioned_id} ${server.state} in ${server.location}`],
  [
    "/auto_scaling_groups",
    (group) => `auto scaling group ${group.provisioned_id} with a desired capacity of ${group.desired_capacity}`,
  ],
  ["/database-servers", (database) => `database ${database.engine} ${database.version} at ${database.endpoint}`],
];

if (process.argv.includes("--help")) {
  console.log(`Usage: npm run demo [-- --keep]

Starts Gantry on an emulated AWS. Provisions a network, an IAM role, an environment of three servers with a scaling group,
and a database through the API, shows them in AWS, and removes them. To use another AWS, set AWS_ENDPOINT_URL,
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.

  --keep  removes nothing and keeps Gantry running`);
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
  const client = new Client(baseUrl);

  printHeading("Signing in and adding an AWS account as provider");
  await client.signIn(firstKeys?.email ?? "", firstKeys?.password ?? "");
  const { user } = await client.get<{ user: { name: string } }>("/users/current");
  const credentials = { access_key_id: keys.accessKeyId, secret_access_key: keys.secretAccessKey };
  const input = { provider: { type: "aws", name: "demo", credentials } };
  const opened = await client.createRequest("POST", `/accounts/${account}/providers`, input);
  const [provisioned] = await follow(client, [opened]);
  const { provider } = await client.get<{ provider: { id: number; provisioned_id: string } }>(resourceOf(provisioned));
  console.log(`  ${user.name} has provider ${provider.id}: the AWS account ${provider.provisioned_id}`);

  printHeading("Provisioning a network with subnets, and an IAM role");
  const network = { cidr: "10.20.0.0/16", location: REGION };
  const role = { name: ROLE, policy: "EFSBackupPolicy", user_managed_policy: true };
  const [networkRequest, roleRequest] = await follow(client, [
    await client.createRequest("POST", "/networks", { provider: provider.id, network }),
    await client.createRequest("POST", "/iam_roles", { provider: provider.id, iam_role: role }),
  ]);
  const networkId = idOf(resourceOf(networkRequest));

  printHeading("Booting an environment and provisioning a database");
  const app = { name: "shop", type: "rails4", repository: "git@example.com:shop.git" };
  const { application } = await client.post<Created<"application">>(`/accounts/${account}/applications`, {
    application: app,
  });
  const { environment } = await client.post<Created<"environment">>(`/accounts/${account}/environments`, {
    network: networkId,
    environment: { name: "shop", application_id: application.id },
  });
  const [, databaseRequest] = await follow(client, [
    await client.createRequest("POST", `/environments/${environment.id}/boot`, {
      cluster_configuration: { configuration: { type: "cluster" } },
    }),
    await client.createRequest("POST", "/database-services", {
      provider: provider.id,
      network: networkId,
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
  await follow(client, [
    await client.createRequest("POST", "/auto_scaling_groups", {
      environment: environment.id,
      auto_scaling_group: { minimum_size: 1, maximum_size: 3 },
    }),
  ]);

  await printObjects(client, aws, account);
  if (keep) return;

  printHeading("Removing everything");
  await follow(client, [
    await client.createRequest("DELETE", `/environments/${environment.id}`),
    await client.createRequest("DELETE", `${new URL(resourceOf(databaseRequest)).pathname}?final_snapshot=false`),
  ]);
  await client.delete(`/applications/${application.id}`);
  const { subnets } = await client.get<{ subnets: { id: string }[] }>("/subnets?per_page=100");
  const removals = subnets.map(({ id }) => client.createRequest("DELETE", `/subnets/${id}`));
  const roleRemoval = client.createRequest("DELETE", new URL(resourceOf(roleRequest)).pathname);
  await follow(client, await Promise.all([...removals, roleRemoval]));
  await follow(client, [await client.createRequest("DELETE", new URL(resourceOf(networkRequest)).pathname)]);
  const remaining = await aws.objects(account, [ROLE]);
  aws.close();
  const inventory = await stack.aws?.inventory(keys);
  for (const [kind, found] of Object.entries(inventory ?? {}))
    remaining.push(...found.map(({ id }) => `${kind} ${id}`));
  if (remaining.length > 0) throw new Error(`These objects remain in AWS: ${remaining.join(", ")}`);
  console.log(`  ${colors.green("No object remains in AWS.")}`);
}

async function printObjects(client: Client, aws: AwsView, account: string): Promise<void> {
  printHeading("Listing the records and the objects in AWS");
  console.log(`  ${colors.underline("the API's records")}`);
  for (const [path, describe] of LISTS) {
    const records = Object.values(await client.get<Record<string, ApiRecord[]>>(`${path}?per_page=100`))[0] ?? [];
    for (const record of records) console.log(`    ${describe(record)}`);
  }
  console.log(`  ${colors.underline("the objects in AWS")}`);
  for (const object of await aws.objects(account, [ROLE])) console.log(`    ${object}`);
}

type Created<Name extends string> = Record<Name, { id: number }>;

function idOf(url: string): string {
  return url.split("/").at(-1) ?? "";
}

function resourceOf(request: RequestRecord | undefined): string {
  if (!request?.resource) throw new Error(`The Request ${request?.id} has no resource.`);
  return request.resource;
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
