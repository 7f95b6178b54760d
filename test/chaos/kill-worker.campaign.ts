import type { Gantry } from "@gantry/client";
import type { AwsAccount } from "@gantry/local-stack";
import { aws, createAwsAccount } from "../support/account.js";
import { type GantryProcesses, startGantryProcesses } from "../support/gantry-processes.js";
import { until } from "../support/until.js";

let processes: GantryProcesses;
let gantry: Gantry;

beforeAll(async () => {
  processes = await startGantryProcesses();
  gantry = processes.connect();
});
afterAll(() => processes?.close());

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
  await until(async () => (await processes.database.db.request.count({ where: { finishedAt: null } })) === 0);
  expect(await processes.database.db.request.findMany({ where: { successful: false } })).toEqual([]);
});

/** The steps of `npm run demo` in one AWS account: everything exists once, and nothing afterwards. */
async function demo(account: AwsAccount): Promise<void> {
  const credentials = { access_key_id: account.accessKeyId, secret_access_key: account.secretAccessKey };
  const { id: provider } = await gantry.providers.create({ provider: { type: "aws", credentials } }).done();
  const [network, role] = await Promise.all([
    gantry.networks.create({ provider, network: { cidr: "10.0.0.0/16", location: "us-east-1" } }).done(),
    gantry.iamRoles.create({ provider, iam_role: { policy: "EFSBackupPolicy", user_managed_policy: true } }).done(),
  ]);
  expect(await existing(account)).toEqual({
    vpc: 1,
    subnet: 6,
    internet_gateway: 1,
    route_table: 1,
    role: 1,
    policy: 1,
  });
  const subnets = await gantry.subnets.list({ network: network.id }).toArray({ max: 100 });
  await Promise.all([
    gantry.iamRoles.delete(role).done(),
    ...subnets.map((subnet) => gantry.subnets.delete(subnet).done()),
  ]);
  await gantry.networks.delete(network).done();
  expect(await existing(account)).toEqual({
    vpc: 0,
    subnet: 0,
    internet_gateway: 0,
    route_table: 0,
    role: 0,
    policy: 0,
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
  await processes.kill("worker");
  const [held] = await processes.database.db.$queryRaw<{ ids: string[] }[]>`
    SELECT coalesce(array_agg(id::text), '{}') AS ids FROM requests
    WHERE finished_at IS NULL AND lease_until > now()`;
  const before = await fencesOf(held?.ids ?? []);
  await processes.restart("worker");
  await until(async () => {
    const now = await fencesOf(held?.ids ?? []);
    return [...before].every(([id, fence]) => (now.get(id) ?? 0) > fence);
  });
}

async function fencesOf(ids: string[]): Promise<Map<string, number>> {
  const rows = await processes.database.db.request.findMany({
    where: { id: { in: ids } },
    select: { id: true, fence: true },
  });
  return new Map(rows.map(({ id, fence }) => [id, fence]));
}
