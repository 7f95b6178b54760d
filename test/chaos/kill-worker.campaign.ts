import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrap, type FirstKeys } from "@gantry/api";
import type { AwsAccount } from "@gantry/local-stack";
import { Client, type RequestRecord } from "../../scripts/demo-client.js";
import { type App, startApp } from "../../scripts/processes.js";
import { aws, createAwsAccount } from "../support/account.js";
import { awsEndpoint, cloneDatabase, type TestDatabase, testEnv, testMasterKey } from "../support/stack.js";
import { until } from "../support/until.js";

let database: TestDatabase;
let folder: string;
let keys: FirstKeys;
let api: App;
let worker: App;
let client: Client;
let settings: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-kill-"));
  database = await cloneDatabase();
  const env = testEnv(database);
  keys = (await bootstrap(database.db, env)) as FirstKeys;
  settings = {
    DATABASE_URL: env.DATABASE_URL,
    REDIS_URL: env.REDIS_URL,
    QUEUE_PREFIX: env.QUEUE_PREFIX,
    MASTER_KEY: testMasterKey,
    AWS_ENDPOINT_URL: awsEndpoint,
    AWS_VISIBILITY_SECONDS: "0",
    PORT: "0",
  };
  [api, worker] = await Promise.all([startApp("api", settings, folder), startApp("worker", settings, folder)]);
  client = new Client(`http://127.0.0.1:${(api.ready as { listening: number }).listening}`);
  await client.signIn(keys.email, keys.password);
});

afterAll(async () => {
  await Promise.all([api?.stop(), worker?.stop()]);
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

it("completes the demo with the same result after kills of the worker by SIGKILL", async () => {
  const accounts = await Promise.all([1, 2].map(() => createAwsAccount()));
  const demos = Promise.all(accounts.map(demo));
  // One kill during the creates, one during the removals.
  const actions = ["CreateSubnet", "DeleteSubnet"];
  const kills = (async () => {
    for (const action of actions) await killAt(action, accounts);
  })();
  await Promise.all([demos, kills]);
  // The discoveries of the providers' other regions, which a demo does not wait for.
  await until(async () => (await database.db.request.count({ where: { finishedAt: null } })) === 0);
  expect(await database.db.request.findMany({ where: { successful: false } })).toEqual([]);
});

/** The steps of `npm run demo` in one AWS account: everything exists once, and nothing afterwards. */
async function demo(account: AwsAccount): Promise<void> {
  const credentials = { access_key_id: account.accessKeyId, secret_access_key: account.secretAccessKey };
  const provider = await create("POST", `/accounts/${keys.accountId}/providers`, {
    provider: { type: "aws", credentials },
  });
  const id = Number(provider.split("/").at(-1));
  const [network, role] = await Promise.all([
    create("POST", "/networks", { provider: id, network: { cidr: "10.0.0.0/16", location: "us-east-1" } }),
    create("POST", "/iam_roles", { provider: id, iam_role: { policy: "EFSBackupPolicy", user_managed_policy: true } }),
  ]);
  expect(await existing(account)).toEqual({
    vpc: 1,
    subnet: 6,
    internet_gateway: 1,
    route_table: 1,
    role: 1,
    policy: 1,
  });
  const { subnets } = await client.get<{ subnets: { id: string }[] }>(`/subnets?network=${network.split("/").at(-1)}`);
  await Promise.all([finish("DELETE", role), ...subnets.map((subnet) => finish("DELETE", `/subnets/${subnet.id}`))]);
  await finish("DELETE", network);
  expect(await existing(account)).toEqual({
    vpc: 0,
    subnet: 0,
    internet_gateway: 0,
    route_table: 0,
    role: 0,
    policy: 0,
  });
}

async function create(method: "POST", path: string, body: object): Promise<string> {
  const { resource } = await finish(method, path, body);
  return new URL(String(resource)).pathname;
}

async function finish(method: "POST" | "DELETE", path: string, body: object = {}): Promise<RequestRecord> {
  const { id } = await client.createRequest(method, path, body);
  return until(async () => {
    const { request } = await client.get<{ request: RequestRecord }>(`/requests/${id}?wait=10`);
    if (request.finished_at && !request.successful) throw new Error(request.request_status);
    return request.finished_at ? request : undefined;
  });
}

async function existing(account: AwsAccount): Promise<Record<string, number>> {
  const kinds = ["vpc", "subnet", "internet_gateway", "route_table", "role", "policy"] as const;
  const inventory = await aws.inventory(account, { kinds: [...kinds] });
  return Object.fromEntries(kinds.map((kind) => [kind, inventory[kind]?.length ?? 0]));
}

/** Kills the worker after its first call of `action`, starts another, and waits until that has claimed its Requests. */
async function killAt(action: string, accounts: AwsAccount[]): Promise<void> {
  const ids = new Set(accounts.map(({ accessKeyId }) => accessKeyId));
  await until(async () => (await aws.calls({ action })).some(({ accessKeyId }) => ids.has(accessKeyId ?? "")));
  worker.process.kill("SIGKILL");
  const [held] = await database.db.$queryRaw<{ ids: string[] }[]>`
    SELECT coalesce(array_agg(id::text), '{}') AS ids FROM requests
    WHERE finished_at IS NULL AND lease_until > now()`;
  const before = await fencesOf(held?.ids ?? []);
  worker = await startApp("worker", settings, folder);
  await until(async () => {
    const now = await fencesOf(held?.ids ?? []);
    return [...before].every(([id, fence]) => (now.get(id) ?? 0) > fence);
  });
}

async function fencesOf(ids: string[]): Promise<Map<string, number>> {
  const rows = await database.db.request.findMany({ where: { id: { in: ids } }, select: { id: true, fence: true } });
  return new Map(rows.map(({ id, fence }) => [id, fence]));
}
