import type { Tx } from "@gantry/db";
import type { ComputeFlavor } from "@gantry/resources";

const MAX_NAMED_FLAVORS = 5;

type Size = Pick<ComputeFlavor, "vcpus" | "memoryMib">;

/** The names of those flavors that are nearest in size to a wanted one, or to the former one if Gantry does not know it. */
export async function nearestFlavors(
  db: Tx,
  possible: ComputeFlavor[],
  { flavor, former }: { flavor: string; former: string },
): Promise<string[]> {
  const sizes = await db.instanceType.findMany({ where: { name: { in: [flavor, former] } } });
  const size = sizes.find(({ name }) => name === flavor) ?? sizes[0];
  const sorted = size ? possible.toSorted((a, b) => distance(a, size) - distance(b, size)) : possible;
  return sorted.slice(0, MAX_NAMED_FLAVORS).map(({ name }) => name);
}

/** How much two sizes differ: a factor of two in processors or in memory counts 1. */
function distance(one: Size, other: Size): number {
  const factor = (a: number | null, b: number | null) => (a && b ? Math.abs(Math.log2(a / b)) : Number.MAX_VALUE / 2);
  return factor(one.vcpus, other.vcpus) + factor(one.memoryMib, other.memoryMib);
}
