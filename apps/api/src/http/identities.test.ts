import { randomBytes } from "node:crypto";
import { createCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { until } from "@gantry/test/support/until";
import { expect, it } from "@jest/globals";
import { v7 as uuidv7 } from "uuid";
import { Identities } from "./identities.js";
import { mintToken } from "./tokens.js";

const { api, db, owner } = await startApiTest();

it("answers every call of other users while a role is changed again and again (finding 1)", async () => {
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

it("answers a look-up that a change overtakes, and does not keep its answer", async () => {
  const { userId, accountId } = owner;
  const identities = new Identities(db, randomBytes(32));
  const text = mintToken();
  await db.token.create({
    data: { id: uuidv7(), digest: identities.digest(text), scopes: ["read"], userId, name: "overtaken" },
  });
  const setRole = (role: "admin" | "owner") =>
    db.membership.update({ where: { accountId_userId: { accountId, userId } }, data: { role } });
  const roleOf = async () => (await identities.findByToken(text))?.roles.get(accountId);

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
