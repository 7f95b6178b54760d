import { createCaller, startTestApi, type TestApi, type TestCaller } from "@gantry/test/support/api";
import { afterAll, beforeAll, expect, it } from "@jest/globals";

let api: TestApi;
let owner: TestCaller;

beforeAll(async () => {
  api = await startTestApi();
  owner = await createCaller(api);
});
afterAll(() => api.close());

const emailOf = ({ userId }: TestCaller) => `${userId}@example.com`;
const invite = (guest: TestCaller, role: string, by = owner) =>
  by.post(`/accounts/${owner.accountId}/memberships`, { membership: { email: emailOf(guest), role } });

it("opens an account to a user, changes the role and closes it again, at once", async () => {
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

it("refuses one who is there already, one who is unknown, and a role that is none", async () => {
  const guest = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  expect((await invite(guest, "viewer")).status).toBe(409);
  expect((await invite(guest, "king")).status).toBe(422);
  const body = { membership: { email: "nobody@example.com", role: "viewer" } };
  expect((await owner.post(`/accounts/${owner.accountId}/memberships`, body)).status).toBe(422);
});

it("lets only owners make and unmake owners, and keeps the last one", async () => {
  const admin = await createCaller(api, { accountId: owner.accountId, role: "admin" });
  const guest = await createCaller(api);
  expect((await invite(guest, "owner", admin)).status).toBe(403);
  const own = await api.db.membership.findFirstOrThrow({ where: { userId: owner.userId } });
  expect((await admin.delete(`/memberships/${own.id}`)).status).toBe(403);
  expect((await owner.delete(`/memberships/${own.id}`)).body.errors).toEqual(["an account keeps at least one owner"]);
  expect((await owner.put(`/memberships/${own.id}`, { membership: { role: "viewer" } })).status).toBe(409);
  expect((await owner.get(`/accounts/${owner.accountId}/owners`)).body.users).toHaveLength(1);
});

it("is not for members, nor for strangers", async () => {
  const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
  const stranger = await createCaller(api);
  const guest = await createCaller(api);
  expect([(await invite(guest, "viewer", member)).status, (await invite(guest, "viewer", stranger)).status]).toEqual([
    403, 404,
  ]);
  expect((await stranger.get(`/accounts/${owner.accountId}/memberships`)).status).toBe(404);
});

it("changes nothing of an account but its emergency contact", async () => {
  const path = `/accounts/${owner.accountId}`;
  const { status, body } = await owner.put(path, {
    account: { emergency_contact: "me", name: "Mine", billable: true },
  });
  expect([status, body.unpermitted]).toEqual([422, ["account.name", "account.billable"]]);
  expect((await owner.put(path, { account: { emergency_contact: null } })).body.account.emergency_contact).toBeNull();
});
