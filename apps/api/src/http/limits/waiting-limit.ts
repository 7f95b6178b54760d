import { HttpError } from "../errors/errors.js";

const PER_KEY = 250;
const PER_PROCESS = 5000;
const RETRY = { headers: { "Retry-After": "5" } };

/** Limits how many long polls and streams wait at once in this process, for each user and in total. */
export class WaitingLimit {
  private readonly slots = new Map<string, number>();
  private all = 0;

  /** How many wait now. */
  get count(): number {
    return this.all;
  }

  /**
   * Takes a slot of a user, or of an account's services.
   *
   * @returns a function that frees the slot
   * @throws 429 if the key, 503 if this process has no slot left
   */
  take(key: string): () => void {
    const taken = this.slots.get(key) ?? 0;
    if (taken >= PER_KEY) {
      const sentence = `you already have ${PER_KEY} waiting calls or open streams; close one before you start another`;
      throw new HttpError(429, "too_many_requests", [sentence], RETRY);
    }
    if (this.all >= PER_PROCESS)
      throw new HttpError(503, "unavailable", ["too many calls are waiting; try again in a few seconds"], RETRY);
    this.slots.set(key, taken + 1);
    this.all += 1;
    return () => this.free(key);
  }

  private free(key: string): void {
    this.all -= 1;
    const remaining = (this.slots.get(key) ?? 0) - 1;
    if (remaining > 0) this.slots.set(key, remaining);
    else this.slots.delete(key);
  }
}
