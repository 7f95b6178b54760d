import type { FirstKeys } from "@gantry/api";
import type { AwsAccount } from "@gantry/local-stack";
import { type Accepted, Client, WorkloadStopped } from "./client.js";
import type { Fleet } from "./fleet.js";
import { RandomSource } from "./random-source.js";
import { runTask, type Tenant } from "./tasks.js";

/** How many AWS accounts are in use. */
const ACCOUNTS = 3;

/** Those who use the API during a campaign, with what they were promised and what surprised them. */
export class Workload {
  readonly accepted: Accepted[] = [];
  readonly unexpected: string[] = [];
  readonly accounts: AwsAccount[] = [];
  private readonly clients: Client[] = [];
  private readonly tenants: Tenant[] = [];
  private loops: Promise<void>[] = [];
  private isStopped = false;

  constructor(
    private readonly fleet: Fleet,
    private readonly keys: FirstKeys,
    private readonly seed: number,
  ) {}

  /** Takes AWS accounts into use. */
  async prepare(): Promise<void> {
    const { aws } = this.fleet;
    const { accountId } = this.keys;
    const first = this.addClient();
    for (let n = 0; n < ACCOUNTS; n++) {
      const account = await aws.createAccount();
      this.accounts.push(account);
      this.tenants.push({ accountId, providerId: await createProvider(first, accountId, account) });
    }
  }

  /** Has so many begin; they go on until told to stop. */
  start(count: number): void {
    this.loops = Array.from({ length: count }, (_, n) => this.loop(this.tenants[n % ACCOUNTS] as Tenant));
  }

  /** Has them stop where they are, with what they have made still standing. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.loops);
  }

  /** What failed though nobody had cancelled it, and how often: it was asked for again. */
  failures(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const failure of this.clients.flatMap(({ failures }) => failures)) {
      counts[failure] = (counts[failure] ?? 0) + 1;
    }
    return counts;
  }

  private async loop(tenant: Tenant): Promise<void> {
    const client = this.addClient();
    while (!this.isStopped) {
      try {
        await runTask(client, tenant);
      } catch (error) {
        if (!(error instanceof WorkloadStopped))
          this.unexpected.push(error instanceof Error ? error.message : String(error));
      }
    }
  }

  private addClient(): Client {
    const random = new RandomSource(this.seed, this.clients.length + 1);
    const note = (one: Accepted) => void this.accepted.push(one);
    const client = new Client(this.fleet.apiUrls, this.keys.token, note, random, () => this.isStopped);
    this.clients.push(client);
    return client;
  }
}

/** A provider that acts in an AWS account, with the places that it knows there. */
async function createProvider(client: Client, accountId: string, account: AwsAccount): Promise<number> {
  const credentials = { access_key_id: account.accessKeyId, secret_access_key: account.secretAccessKey };
  const made = await client.create(`/accounts/${accountId}/providers`, { provider: { type: "aws", credentials } }, 0);
  if (!made) throw new Error("the provider was not made");
  await client.change("PUT", `${made}/locations/discover`);
  return Number(made.split("/").at(-1));
}
