import { randomUUID } from "node:crypto";
import { linkAuditRecords, type Role } from "@gantry/db";
import { createEnvironment, createProvider } from "@gantry/test/support/api";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { fencedDb } from "../engine/fenced-db.js";
import { authorizedKeysOf } from "../workflows/servers/first-boot.js";
import { endGroupMemberships } from "./group-memberships.js";

let database: TestDatabase;
let accountId: string;
beforeEach(async () => {
  database = await cloneDatabase();
  ({ id: accountId } = await database.db.account.create({ data: { id: randomUUID(), name: "groups" } }));
});
afterEach(() => database.drop());

interface MemberOptions {
  role?: Role;
  fromGroups?: boolean;
  /** The days since the last sign-in with each identity. */
  signedIn?: number[];
}

async function addMember({ role = "admin", fromGroups = true, signedIn = [31] }: MemberOptions = {}) {
  const { db } = database;
  const userId = randomUUID();
  const email = `${userId}@example.com`;
  await db.user.create({ data: { id: userId, name: "Someone", email, passwordHash: "" } });
  const membership = await db.membership.create({ data: { id: randomUUID(), accountId, userId, role, fromGroups } });
  for (const days of signedIn)
    await db.$executeRaw`
      INSERT INTO external_identities (issuer, subject, user_id, signed_in_at)
      VALUES ('https://id.example.com', ${randomUUID()}, ${userId}::uuid, now() - make_interval(days => ${days}::int))`;
  return membership;
}

/** A token of a user, or one for the account that it made. */
async function addToken(userId: string, parentId: string | null = null) {
  const accountIds = parentId === null ? [] : [accountId];
  const digest = Buffer.from(randomUUID());
  return database.db.token.create({
    data: { id: randomUUID(), userId, name: "test", digest, scopes: ["read"], parentId, accountIds },
  });
}

const membershipIds = async () => (await database.db.membership.findMany()).map(({ id }) => id);

it("ends the memberships from groups of those who have not signed in for days, and no others", async () => {
  const ended = [await addMember(), await addMember({ role: "viewer", signedIn: [31, 40] })];
  const kept = [
    await addMember({ signedIn: [29] }),
    await addMember({ signedIn: [31, 29] }),
    await addMember({ fromGroups: false }),
    await addMember({ role: "owner" }),
  ];
  await Promise.all([endGroupMemberships(database.db, 30), endGroupMemberships(database.db, 30)]);
  expect((await membershipIds()).sort()).toEqual(kept.map(({ id }) => id).sort());
  await linkAuditRecords(database.db);
  const records = await database.db.auditRecord.findMany({ where: { accountId } });
  expect(records).toHaveLength(ended.length);
  for (const { id, userId } of ended)
    expect(records).toContainEqual(
      expect.objectContaining({
        action: "end membership",
        subject: `membership/${id}`,
        changes: { user: userId, role: "none" },
      }),
    );
});

it("revokes the service tokens that a removed member created, and removes the member's SSH keys from servers", async () => {
  const { db } = database;
  const { userId } = await addMember();
  const other = await addMember({ signedIn: [0] });
  const keyOf = (userId: string) => ({
    userId,
    name: "laptop",
    publicKey: `ssh-ed25519 ${userId}`,
    fingerprint: userId,
  });
  await db.keypair.createMany({ data: [keyOf(userId), keyOf(other.userId)] });
  const service = await addMember({ fromGroups: false, role: "member", signedIn: [] });
  await db.user.update({ where: { id: service.userId }, data: { service: true } });
  const token = await addToken(service.userId, (await addToken(userId)).id);
  const environment = await createEnvironment(db, await createProvider(db, accountId));

  await endGroupMemberships(db, 30);
  expect(await db.token.findUnique({ where: { id: token.id } })).toMatchObject({ deletedAt: expect.any(Date) });
  expect(await membershipIds()).toEqual([other.id]);
  const keys = await authorizedKeysOf(fencedDb(db, { id: randomUUID(), fence: 0 }), environment);
  expect(keys).toContain(`ssh-ed25519 ${other.userId}`);
  expect(keys).not.toContain(`ssh-ed25519 ${userId}`);
});

it("leaves the membership of a person whose sign-in has started", async () => {
  const { db } = database;
  const { id, userId } = await addMember();
  const { ending } = await db.$transaction(async (signIn) => {
    await signIn.$executeRaw`UPDATE external_identities SET signed_in_at = now() WHERE user_id = ${userId}::uuid`;
    let hasEnded = false;
    const ending = endGroupMemberships(db, 30).finally(() => {
      hasEnded = true;
    });
    await until(async () => {
      const blocked = await db.$queryRaw<unknown[]>`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return hasEnded || blocked.length > 0;
    });
    return { ending };
  });
  await ending;
  expect(await membershipIds()).toEqual([id]);
});
