/** A token bucket: holds up to `burst` tokens, refilled by `ratePerSecond`. */
export class TokenBucket {
  private tokens: number;
  private refilledAt: number;

  constructor(
    private readonly ratePerSecond: number,
    private readonly burst: number,
    private readonly now = () => performance.now(),
  ) {
    this.tokens = burst;
    this.refilledAt = now();
  }

  has(count: number): boolean {
    const now = this.now();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.refilledAt) / 1000) * this.ratePerSecond);
    this.refilledAt = now;
    return this.tokens >= count;
  }

  /** Takes `count` tokens; returns false and takes none when the bucket has fewer. */
  take(count = 1): boolean {
    if (!this.has(count)) return false;
    this.tokens -= count;
    return true;
  }
}
