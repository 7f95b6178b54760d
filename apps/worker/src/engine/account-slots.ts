/** How much of a worker answers to single rings alone. */
const NORMAL_SHARE = 2 / 5;

/** How much of that one account may hold in any case: what takes long must not keep others from starting. */
const ACCOUNT_SHARE = 1 / 4;

/** How many Requests a worker runs of those that were rung singly, and of those that were rung as part of a flood. */
export function divideConcurrency(concurrency: number): { normal: number; lowPriority: number } {
  const normal = Math.max(1, Math.round(concurrency * NORMAL_SHARE));
  return { normal, lowPriority: Math.max(1, concurrency - normal) };
}

/** Shares out a worker's slots for single rings among accounts: more than its part has who leaves as many free. */
export class AccountSlots {
  private readonly held = new Map<string, number>();
  private readonly accountLimit: number;
  private free: number;

  constructor(slots: number) {
    this.accountLimit = Math.max(1, Math.floor(slots * ACCOUNT_SHARE));
    this.free = slots;
  }

  /** Runs `act`, or `passOn` where the account holds its part of the slots. */
  async run(accountId: string, act: () => Promise<void>, requeue: () => void): Promise<void> {
    const held = this.held.get(accountId) ?? 0;
    if (held >= Math.max(this.accountLimit, this.free)) return requeue();
    this.change(accountId, 1);
    try {
      await act();
    } finally {
      this.change(accountId, -1);
    }
  }

  private change(accountId: string, more: 1 | -1): void {
    this.free -= more;
    const held = (this.held.get(accountId) ?? 0) + more;
    if (held > 0) this.held.set(accountId, held);
    else this.held.delete(accountId);
  }
}
