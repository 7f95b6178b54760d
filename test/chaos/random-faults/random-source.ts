import prand from "pure-rand";

/** Draws that come out the same whenever they are made from the same seed and stream. */
export class RandomSource {
  private readonly generator: prand.RandomGenerator;

  /** @param stream tells apart the draws of several that share a seed */
  constructor(seed: number, stream: number) {
    this.generator = prand.xoroshiro128plus(seed * 10_007 + stream);
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return prand.unsafeUniformIntDistribution(least, most, this.generator);
  }

  /** True so often in a hundred. */
  percent(chance: number): boolean {
    return this.between(1, 100) <= chance;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)] as T;
  }
}
