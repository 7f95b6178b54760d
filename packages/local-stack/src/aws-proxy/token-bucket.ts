/** A token bucket: `burst` at once, then `ratePerSecond`. */
export class TokenBucket {
  private tokens: number;
  private at: number;

  constructor(
    private readonly ratePerSecond: number,
    private readonly burst: number,
    private readonly now = () => performance.now(),
  ) {
    this.tokens = burst;
    this.at = now();
  }

  has(count: number): boolean {
    const now = this.now();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.at) / 1000) * this.ratePerSecond);
    this.at = now;
    return this.tokens >= count;
  }

  /** Takes one token, or so many; false when there are not enough. */
  take(count = 1): boolean {
    if (!this.has(count)) return false;
    this.tokens -= count;
    return true;
  }
}
