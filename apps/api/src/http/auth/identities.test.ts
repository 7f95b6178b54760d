import { generateKeySync } from "node:crypto";
import { createCaller, startTestApi } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { until } from "@gantry/test/support/until";
import pg from "pg";
import supertest from "supertest";
import { v7 as uuidv7 } from "uuid";
import { Identities } from "./identities.js";
import { mintToken } from "./tokens.js";

const { api, db, owner } = await startApiTest({ settings: { ANONYMOUS_RATE_LIMIT_PER_MINUTE: "1000" } });

/** A new token of a user, by its key, and identities that have not looked it up. */
async function tokenOf(userId: string) {
  const identities = new Identities(db, generateKeySync("hmac", { length: 256 }));
  const text = mintToken();
  const key = identities.keyOf(text);
  if (!key) throw new Error("the token is malformed");
  await db.token.create({
    data: { id: uuidv7(), digest: identities.digest(text), scopes: ["read"], userId, name: "own" },
  });
  return { identities, key };
}

it("answers every call of other users while a role is changed again and again", async () => {
  const others = await Promise.all(Array.from({ length: 8 }, () => createCaller(api)));
  const own = await db.membership.findFirstOrThrow({ where: { userId: owner.userId } });
  const statuses: number[] = [];
  let hasEnded = false;
  const changing = (async () => {
    for (let i = 0; i < 60; i++) await owner.put(`/memberships/${own.id}`, { membership: { role: "owner" } });
    hasEnded = true;
  })();
  const calling = others.map(async (other) => {
    while (!hasEnded) statuses.push((await other.get("/accounts")).status);
  });
  await Promise.all([changing, ...calling]);
  expect([...new Set(statuses)]).toEqual([200]);
});

it("answers a look-up that a change overtakes, without caching the result", async () => {
  const { userId, accountId } = owner;
  const { identities, key } = await tokenOf(userId);
  const setRole = (role: "admin" | "owner") =>
    db.membership.update({ where: { accountId_userId: { accountId, userId } }, data: { role } });
  const roleOf = async () => (await identities.find(key))?.roles.get(accountId);

  const overtaken = await db.$transaction(async (tx) => {
    await tx.$executeRaw`LOCK TABLE memberships IN ACCESS EXCLUSIVE MODE`;
    const answer = roleOf();
    await until(async () => {
      const [row] = await tx.$queryRaw<{ waiting: bigint }[]>`
        SELECT count(*) AS waiting FROM pg_locks
        WHERE NOT granted AND relation = 'memberships'::regclass`;
      return row?.waiting;
    });
    identities.forget(userId);
    return { answer };
  });
  expect(await overtaken.answer).toBe("owner");
  await setRole("admin");
  expect(await roleOf()).toBe("admin");
  await setRole("owner");
  identities.forget(userId);
  expect(await roleOf()).toBe("owner");
});

it("does not count a formerly valid token as a guess, even if it is no longer cached", async () => {
  const { userId } = owner;
  const { identities, key } = await tokenOf(userId);
  expect(identities.isGuess(key)).toBe(true);
  await identities.find(key);
  identities.forget(userId);
  expect(identities.isGuess(key)).toBe(false);
});

it("finds nobody behind a token that a deleted user still has", async () => {
  const { userId } = await createCaller(api);
  const { identities, key } = await tokenOf(userId);
  await db.user.update({ where: { id: userId }, data: { deletedAt: new Date() } });
  expect(await identities.find(key)).toBeUndefined();
});

describe("a forged token", () => {
  const { query } = pg.Client.prototype;
  afterAll(() => {
    pg.Client.prototype.query = query;
  });

  /** The number of look-ups of tokens that `act` sends. */
  async function lookUpsIn(act: () => Promise<void>): Promise<number> {
    let count = 0;
    pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]) {
      // The time of a token's last use is written in the background.
      if (/SELECT.*FROM tokens/.test(JSON.stringify(parameters[0]) ?? "")) count++;
      return Reflect.apply(query, this, parameters);
    } as typeof query;
    await act();
    pg.Client.prototype.query = query;
    return count;
  }

  it("costs one query, even if it is repeated", async () => {
    const forged = mintToken();
    const count = await lookUpsIn(async () => {
      for (let i = 0; i < 20; i++)
        await supertest(api.app).get("/networks").set("Authorization", `Bearer ${forged}`).expect(401);
    });
    expect(count).toBe(1);
  });

  it("costs no query above the limit of its IP address, while known tokens still work", async () => {
    const small = await startTestApi({ ANONYMOUS_RATE_LIMIT_PER_MINUTE: "1" });
    const known = await createCaller(small);
    expect((await known.get("/networks")).status).toBe(200);
    const statuses: number[] = [];
    const count = await lookUpsIn(async () => {
      for (let i = 0; i < 8; i++)
        statuses.push(
          (await supertest(small.app).get("/networks").set("Authorization", `Bearer ${mintToken()}`)).status,
        );
    });
    expect([statuses, count]).toEqual([[401, 401, 401, 401, 401, 429, 429, 429], 5]);
    expect((await known.get("/networks")).status).toBe(200);
    await small.close();
  });
});
