import type { ComputeOffers, DatabaseOffers } from "@gantry/aws-facts";
import { type Db, insertInto, type Provider } from "@gantry/db";
import { REGION } from "./api.js";

const zones = (...letters: string[]) => letters.map((letter) => `${REGION}${letter}`);

export const COMPUTE_OFFERS: ComputeOffers = {
  "t3.medium": zones("a", "b", "c"),
  "t4g.medium": zones("a", "b"),
  "m7i.large": zones("b"),
};

const databaseClass = (...letters: string[]) => ({
  zones: zones(...letters),
  storageTypes: ["gp2", "gp3", "io1"],
  isEncryptable: true,
});
const auroraClass = { ...databaseClass("a", "b"), storageTypes: ["aurora"] };
const version = (name: string, major: string, isDefault = true) => ({ version: name, major, isDefault });

export const DATABASE_OFFERS: DatabaseOffers = {
  postgres: {
    versions: [version("15.19", "15"), version("16.14", "16", false), version("16.15", "16")],
    classes: { "db.t4g.micro": databaseClass("a", "b"), "db.m7g.large": databaseClass("b") },
  },
  mysql: { versions: [version("8.4.9", "8.4")], classes: { "db.t4g.micro": databaseClass("a", "b") } },
  "aurora-mysql": {
    versions: [version("8.0.mysql_aurora.3.13.0", "8.0")],
    classes: { "db.t4g.medium": auroraClass },
  },
};

const INSTANCE_TYPES = [
  { name: "t3.medium", vcpus: 2, memoryMib: 4096, architecture: "x86_64", isBurstable: true, ebsOptimized: true },
  { name: "t4g.medium", vcpus: 2, memoryMib: 4096, architecture: "arm64", isBurstable: true, ebsOptimized: true },
  { name: "m7i.large", vcpus: 2, memoryMib: 8192, architecture: "x86_64", isBurstable: false, ebsOptimized: true },
];

/** Records what AWS offers in a region, as a worker would have read it. */
export async function recordOffers(
  db: Db,
  { id: providerId, accountId }: Pick<Provider, "id" | "accountId">,
  { compute = COMPUTE_OFFERS, databases = DATABASE_OFFERS } = {},
): Promise<void> {
  const { id } = await db.providerLocation.findFirstOrThrow({ where: { providerId, locationId: REGION } });
  const offers = { id, accountId, compute, databases, readAt: new Date(), triedAt: new Date() };
  await db.$executeRaw`${insertInto("offer_lists", offers)} ON CONFLICT (id) DO UPDATE SET compute = excluded.compute`;
  await db.instanceType.createMany({ data: INSTANCE_TYPES, skipDuplicates: true });
}
