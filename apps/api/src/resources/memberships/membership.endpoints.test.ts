import { createCaller, type TestCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { expect, it } from "@jest/globals";

const { api, db, owner } = await startApiTest();

const emailOf = ({ userId }: TestCaller) => `${userId}@example.com`;
const invite = (guest: TestCaller, role: string, by = owner) =>
  by.post(`/accounts/${owner.accountId}/memberships`, { membership: { email: emailOf(guest), role } });

it("adds a member, changes the role and removes the member, with effect at once", async () => {
  const guest = await createCaller(api);
  const account = `/accounts/${owner.accountId}`;
  expect((await guest.get(account)).status).toBe(404);
  const { status, body } = await invite(guest, "viewer");
  expect([status, body.membership.role]).toEqual([201, "viewer"]);
  const path = `/memberships/${body.membership.id}`;
  const contact = { account: { emergency_contact: "guest" } };
  expect([(await guest.get(account)).status, (await guest.put(account, contact)).status]).toEqual([200, 403]);
  await owner.put(path, { membership: { role: "member" } });
  expect((await guest.put(account, contact)).body.account.emergency_contact).toBe("guest");
  expect((await guest.get(`/users/${owner.userId}`)).status).toBe(200);
  expect((await owner.delete(path)).status).toBe(204);
  expect([(await guest.get(account)).status, (await guest.get(`/users/${owner.userId}`)).status]).toEqual([404, 404]);
});

it("refuses a member, an unknown user and an unknown role", async () => {
  const guest = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  expect((await invite(guest, "viewer")).status).toBe(409);
  expect((await invite(guest, "auditor")).status).toBe(422);
  const body = { membership: { email: "unknown@example.com", role: "viewer" } };
  expect((await owner.post(`/accounts/${owner.accountId}/memberships`, body)).status).toBe(422);
});

it("allows only owners to add and remove owners, and keeps the last owner", async () => {
  const admin = await createCaller(api, { accountId: owner.accountId, role: "admin" });
  const guest = await createCaller(api);
  expect((await invite(guest, "owner", admin)).status).toBe(403);
  const own = await db.membership.findFirstOrThrow({ where: { userId: owner.userId } });
  expect((await admin.delete(`/memberships/${own.id}`)).status).toBe(403);
  expect((await owner.delete(`/memberships/${own.id}`)).body.errors).toEqual(["an account keeps at least one owner"]);
  expect((await owner.put(`/memberships/${own.id}`, { membership: { role: "viewer" } })).status).toBe(409);
  expect((await owner.get(`/accounts/${owner.accountId}/owners`)).body.users).toHaveLength(1);
});

it("refuses members without an administrative role", async () => {
  const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
  const guest = await createCaller(api);
  expect((await invite(guest, "viewer", member)).status).toBe(403);
});

it("changes only an account's emergency contact", async () => {
  const path = `/accounts/${owner.accountId}`;
  const { status, body } = await owner.put(path, {
    account: { emergency_contact: "me", name: "Mine", billable: true },
  });
  expect([status, body.unpermitted]).toEqual([422, ["account.name", "account.billable"]]);
  expect((await owner.put(path, { account: { emergency_contact: null } })).body.account.emergency_contact).toBeNull();
});
