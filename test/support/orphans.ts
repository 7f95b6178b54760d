import { randomUUID } from "node:crypto";
import {
  CreateSnapshotCommand,
  CreateVolumeCommand,
  RegisterImageCommand,
  type ResourceType,
} from "@aws-sdk/client-ec2";
import type { Db, Prisma } from "@gantry/db";
import { awsOpener, tagSpecification } from "@gantry/worker";
import { REGION, type TestAccount, ZONES } from "./account.js";
import { createRequestOf } from "./work.js";

type Customer = Pick<TestAccount, "accountId" | "awsAccount">;

/** The tags of an account's object, in the form of EC2's create calls. */
export function accountTags(type: ResourceType, { accountId }: Customer, more: Record<string, string> = {}) {
  return tagSpecification(type, { tags: { "gantry:account": accountId, ...more } });
}

/** Creates a volume with the account's tag and without an owner, and returns its id. */
export async function createOrphanVolume(customer: Customer, tags?: Record<string, string>): Promise<string> {
  const { ec2 } = awsOpener(10)(REGION, customer.awsAccount);
  const volume = { AvailabilityZone: ZONES[0], Size: 1, TagSpecifications: accountTags("volume", customer, tags) };
  return (await ec2.send(new CreateVolumeCommand(volume))).VolumeId ?? "";
}

/** Creates a snapshot without tags, and an image of it with the account's tag and without an owner. Returns their ids. */
export async function createOrphanImage(
  customer: Customer,
  tags?: Record<string, string>,
): Promise<{ imageId: string; snapshotId: string }> {
  const { ec2 } = awsOpener(10)(REGION, customer.awsAccount);
  const volume = await ec2.send(new CreateVolumeCommand({ AvailabilityZone: ZONES[0], Size: 1 }));
  const { SnapshotId = "" } = await ec2.send(new CreateSnapshotCommand({ VolumeId: volume.VolumeId }));
  const { ImageId = "" } = await ec2.send(
    new RegisterImageCommand({
      Name: randomUUID(),
      RootDeviceName: "/dev/xvda",
      BlockDeviceMappings: [{ DeviceName: "/dev/xvda", Ebs: { SnapshotId } }],
      TagSpecifications: accountTags("image", customer, tags),
    }),
  );
  return { imageId: ImageId, snapshotId: SnapshotId };
}

/** Records an object as an orphan, as the drift scan does, an hour ago. */
export function recordOrphan(
  db: Db,
  { accountId, providerId }: { accountId: string; providerId: number },
  found: { kind: string; cloudId: string } & Partial<Prisma.DriftUncheckedCreateInput>,
) {
  const createdAt = new Date(Date.now() - 3_600_000);
  const row = { id: randomUUID(), accountId, providerId, region: REGION, finding: "orphan", createdAt, ...found };
  return db.drift.create({ data: row });
}

/** Records an orphan, creates the Request for its removal and returns that Request's id. */
export async function requestRemoval(
  db: Db,
  customer: TestAccount,
  found: { kind: string; cloudId: string; createdAt?: Date },
): Promise<string> {
  const { accountId, provider } = customer;
  const { id, createdAt } = await recordOrphan(db, { accountId, providerId: provider.id }, found);
  const { kind, cloudId } = found;
  const orphan = { kind, cloudId, providerId: provider.id, region: REGION, noticedAt: createdAt.toISOString() };
  return createRequestOf(db, customer, "remove_orphan", { type: "drift", id }, { ...orphan, quietSeconds: 300 });
}
