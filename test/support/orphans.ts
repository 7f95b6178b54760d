import { randomUUID } from "node:crypto";
import { CreateVolumeCommand, type ResourceType } from "@aws-sdk/client-ec2";
import type { Db, Prisma } from "@gantry/db";
import { awsOpener, tagSpecification } from "@gantry/worker";
import { REGION, type TestAccount, ZONES } from "./account.js";
import { open } from "./work.js";

type Customer = Pick<TestAccount, "accountId" | "awsAccount">;

/** Tags of something that belongs to an account, as EC2's create calls take them. */
export function accountTags(type: ResourceType, { accountId }: Customer, more: Record<string, string> = {}) {
  return tagSpecification(type, { tags: { "gantry:account": accountId, ...more } });
}

/** Makes a volume that carries the account's tag and that nothing on record knows. Gives its id. */
export async function createOrphanVolume(customer: Customer, tags?: Record<string, string>): Promise<string> {
  const { ec2 } = awsOpener(10)(REGION, customer.awsAccount);
  const made = { AvailabilityZone: ZONES[0], Size: 1, TagSpecifications: accountTags("volume", customer, tags) };
  return (await ec2.send(new CreateVolumeCommand(made))).VolumeId ?? "";
}

/** Notes a thing as the drift sweep notes an orphan, an hour ago. */
export function recordOrphan(
  db: Db,
  { accountId, providerId }: { accountId: string; providerId: number },
  found: { kind: string; cloudId: string } & Partial<Prisma.DriftUncheckedCreateInput>,
) {
  const createdAt = new Date(Date.now() - 3_600_000);
  const row = { id: randomUUID(), accountId, providerId, region: REGION, finding: "orphan", createdAt, ...found };
  return db.drift.create({ data: row });
}

/** Accepts the removal of such an orphan. */
export async function openRemoval(
  db: Db,
  customer: TestAccount,
  found: { kind: string; cloudId: string; createdAt?: Date },
): Promise<string> {
  const { accountId, provider } = customer;
  const { id, createdAt } = await recordOrphan(db, { accountId, providerId: provider.id }, found);
  const { kind, cloudId } = found;
  const about = { kind, cloudId, providerId: provider.id, region: REGION, noticedAt: createdAt.toISOString() };
  return open(db, customer, "remove_orphan", { type: "drift", id }, { ...about, quietSeconds: 300 });
}
