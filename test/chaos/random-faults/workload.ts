import type { FirstKeys } from "@gantry/api";
import type { AwsAccount } from "@gantry/local-stack";
import { Customer, Over, type Promised } from "./client.js";
import type { Fleet } from "./fleet.js";
import { Dice } from "./random-source.js";
import { live, type Place } from "./tasks.js";

/** How many AWS accounts are in use. */
const ACCOUNTS = 3;

/** Those who use the API during a campaign, with what they were promised and what surprised them. */
export class Crowd {
  readonly promised: Promised[] = [];
  readonly surprising: string[] = [];
  readonly accounts: AwsAccount[] = [];
  private readonly customers: Customer[] = [];
  private readonly places: Place[] = [];
  private lives: Promise<void>[] = [];
  private isOver = false;

  constructor(
    private readonly fleet: Fleet,
    private readonly keys: FirstKeys,
    private readonly seed: number,
  ) {}

  /** Takes AWS accounts into use. */
  async settle(): Promise<void> {
    const { aws } = this.fleet;
    const { accountId } = this.keys;
    const first = this.another();
    for (let n = 0; n < ACCOUNTS; n++) {
      const account = await aws.createAccount();
      this.accounts.push(account);
      this.places.push({ accountId, providerId: await takeProvider(first, accountId, account) });
    }
  }

  /** Has so many begin; they go on until told to stop. */
  begin(count: number): void {
    this.lives = Array.from({ length: count }, (_, n) => this.liveOn(this.places[n % ACCOUNTS] as Place));
  }

  /** Has them stop where they are, with what they have made still standing. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.lives);
  }

  /** What failed though nobody had cancelled it, and how often: it was asked for again. */
  failures(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const failure of this.customers.flatMap(({ failures }) => failures)) {
      counts[failure] = (counts[failure] ?? 0) + 1;
    }
    return counts;
  }

  private async liveOn(place: Place): Promise<void> {
    const customer = this.another();
    while (!this.isOver) {
      try {
        await live(customer, place);
      } catch (error) {
        if (!(error instanceof Over)) this.surprising.push(error instanceof Error ? error.message : String(error));
      }
    }
  }

  private another(): Customer {
    const dice = new Dice(this.seed, this.customers.length + 1);
    const note = (one: Promised) => void this.promised.push(one);
    const customer = new Customer(this.fleet.apiUrls, this.keys.token, note, dice, () => this.isOver);
    this.customers.push(customer);
    return customer;
  }
}

/** A provider that acts in an AWS account, with the places that it knows there. */
async function takeProvider(customer: Customer, accountId: string, account: AwsAccount): Promise<number> {
  const credentials = { access_key_id: account.accessKeyId, secret_access_key: account.secretAccessKey };
  const made = await customer.make(`/accounts/${accountId}/providers`, { provider: { type: "aws", credentials } }, 0);
  if (!made) throw new Error("the provider was not made");
  await customer.change("PUT", `${made}/locations/discover`);
  return Number(made.split("/").at(-1));
}
