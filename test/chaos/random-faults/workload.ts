import type { FirstKeys } from "@gantry/api";
import type { AwsAccount } from "@gantry/local-stack";
import { type Accepted, Client, WorkloadStopped } from "./client.js";
import type { Fleet } from "./fleet.js";
import { RandomSource } from "./random-source.js";
import { REGION, runTask, type Tenant } from "./tasks.js";

const AWS_ACCOUNTS = 3;

/** The clients of a campaign, with the Requests that the API accepted and the errors that no client expects. */
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

  /** Creates the AWS accounts and their providers. */
  async prepare(): Promise<void> {
    const { aws } = this.fleet;
    const { accountId } = this.keys;
    const first = this.addClient();
    for (let n = 0; n < AWS_ACCOUNTS; n++) {
      const account = await aws.createAccount({ regions: [REGION] });
      this.accounts.push(account);
      this.tenants.push({ accountId, providerId: await createProvider(first, accountId, account) });
    }
  }

  /** Starts `count` clients, which run tasks until `stop`. */
  start(count: number): void {
    this.loops = Array.from({ length: count }, (_, n) => this.loop(this.tenants[n % AWS_ACCOUNTS] as Tenant));
  }

  /** Stops all clients in the middle of their tasks. Their resources stay. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.loops);
  }

  /** The Requests that failed without a cancel, counted by message. */
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
    const onAccepted = (one: Accepted) => void this.accepted.push(one);
    const client = new Client(this.fleet.apiUrls, this.keys.token, onAccepted, random, () => this.isStopped);
    this.clients.push(client);
    return client;
  }
}

/** Creates a provider for an AWS account and discovers its locations. */
async function createProvider(client: Client, accountId: string, account: AwsAccount): Promise<number> {
  const credentials = { access_key_id: account.accessKeyId, secret_access_key: account.secretAccessKey };
  const path = await client.create(`/accounts/${accountId}/providers`, { provider: { type: "aws", credentials } }, 0);
  if (!path) throw new Error("the provider was not created");
  await client.change("PUT", `${path}/locations/discover`);
  return Number(path.split("/").at(-1));
}
