import prand from "pure-rand";

/** Random numbers that depend only on the seed and the stream. */
export class RandomSource {
  private readonly generator: prand.RandomGenerator;

  /** @param stream separates sources that share a seed */
  constructor(seed: number, stream: number) {
    this.generator = prand.xoroshiro128plus(seed * 10_007 + stream);
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return prand.unsafeUniformIntDistribution(least, most, this.generator);
  }

  /** True in `chance` of 100 cases. */
  percent(chance: number): boolean {
    return this.between(1, 100) <= chance;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)] as T;
  }
}
