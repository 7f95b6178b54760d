/** How much of a worker answers to single rings alone. */
const PROMPT_PART = 2 / 5;

/** How much of that one account may hold in any case: what takes long must not keep others from starting. */
const ACCOUNT_PART = 1 / 4;

/** How many Requests a worker runs of those that were rung singly, and of those that were rung as part of a flood. */
export function divide(concurrency: number): { prompt: number; bulk: number } {
  const prompt = Math.max(1, Math.round(concurrency * PROMPT_PART));
  return { prompt, bulk: Math.max(1, concurrency - prompt) };
}

/** Shares out a worker's slots for single rings among accounts: more than its part has who leaves as many free. */
export class PromptSlots {
  private readonly held = new Map<string, number>();
  private readonly part: number;
  private free: number;

  constructor(slots: number) {
    this.part = Math.max(1, Math.floor(slots * ACCOUNT_PART));
    this.free = slots;
  }

  /** Runs `act`, or `passOn` where the account holds its part of the slots. */
  async use(accountId: string, act: () => Promise<void>, passOn: () => void): Promise<void> {
    const held = this.held.get(accountId) ?? 0;
    if (held >= Math.max(this.part, this.free)) return passOn();
    this.hold(accountId, 1);
    try {
      await act();
    } finally {
      this.hold(accountId, -1);
    }
  }

  private hold(accountId: string, more: 1 | -1): void {
    this.free -= more;
    const held = (this.held.get(accountId) ?? 0) + more;
    if (held > 0) this.held.set(accountId, held);
    else this.held.delete(accountId);
  }
}
