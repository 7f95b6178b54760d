/** The part of a worker that runs notifications of normal priority alone. */
const NORMAL_SHARE = 2 / 5;

/** The part of the normal slots that one account may always hold: long Requests of one must not delay others' starts. */
const ACCOUNT_SHARE = 1 / 4;

/** Divides a worker's concurrency into the slots of the two queues; each has one at least. */
export function divideConcurrency(concurrency: number): { normal: number; lowPriority: number } {
  const normal = Math.max(1, Math.round(concurrency * NORMAL_SHARE));
  return { normal, lowPriority: Math.max(1, concurrency - normal) };
}

/** Shares a worker's normal slots among accounts. An account holds its part, or more while it leaves as many slots free. */
export class AccountSlots {
  private readonly held = new Map<string, number>();
  private readonly accountLimit: number;
  private free: number;

  constructor(slots: number) {
    this.accountLimit = Math.max(1, Math.floor(slots * ACCOUNT_SHARE));
    this.free = slots;
  }

  /** Runs `work` in a slot, or calls `requeue` where the account holds its part of the slots. */
  async run(accountId: string, work: () => Promise<void>, requeue: () => void): Promise<void> {
    const held = this.held.get(accountId) ?? 0;
    if (held >= Math.max(this.accountLimit, this.free)) return requeue();
    this.change(accountId, 1);
    try {
      await work();
    } finally {
      this.change(accountId, -1);
    }
  }

  private change(accountId: string, difference: 1 | -1): void {
    this.free -= difference;
    const held = (this.held.get(accountId) ?? 0) + difference;
    if (held > 0) this.held.set(accountId, held);
    else this.held.delete(accountId);
  }
}
