import { createCaller, type TestCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";

const { api, db, owner } = await startApiTest();

const emailOf = ({ userId }: TestCaller) => `${userId}@example.com`;
const invite = (email: string, role: string, by = owner) =>
  by.post(`/accounts/${owner.accountId}/invitations`, { invitation: { email, role } });
const own = (caller: TestCaller) => db.membership.findFirstOrThrow({ where: { userId: caller.userId } });

async function join(role: string) {
  const guest = await createCaller(api);
  const { body } = await invite(emailOf(guest), role);
  const accepted = await guest.post(`/invitations/${body.invitation.id}/accept`);
  return { guest, path: `/memberships/${accepted.body.membership.id}` };
}

it("changes a member's role and removes the member, with effect at once", async () => {
  const account = `/accounts/${owner.accountId}`;
  const { guest, path } = await join("viewer");
  const contact = { account: { emergency_contact: "guest" } };
  expect([(await guest.get(account)).status, (await guest.put(account, contact)).status]).toEqual([200, 403]);
  await owner.put(path, { membership: { role: "member" } });
  expect((await guest.put(account, contact)).body.account.emergency_contact).toBe("guest");
  expect((await guest.get(`/users/${owner.userId}`)).status).toBe(200);
  expect((await owner.delete(path)).status).toBe(204);
  expect([(await guest.get(account)).status, (await guest.get(`/users/${owner.userId}`)).status]).toEqual([404, 404]);
});

describe("an invitation", () => {
  it("adds nobody to an account without consent, and does not reveal who is a user", async () => {
    const guest = await createCaller(api);
    const answers = [await invite(emailOf(guest), "viewer"), await invite("nobody@example.com", "viewer")];
    const shapes = answers.map(({ status, body }) => [status, Object.keys(body.invitation), body.invitation.role]);
    expect(shapes[0]).toEqual(shapes[1]);
    expect(shapes[0]?.[0]).toBe(201);
    expect((await guest.get(`/accounts/${owner.accountId}`)).status).toBe(404);
    expect((await owner.get(`/users/${guest.userId}`)).status).toBe(404);
    expect((await guest.get("/accounts")).body.accounts).toHaveLength(1);
    const body = { membership: { email: emailOf(guest), role: "viewer" } };
    expect((await owner.post(`/accounts/${owner.accountId}/memberships`, body)).status).toBe(403);
  });

  it("is accepted or declined once, only by the invited user", async () => {
    const [guest, other] = [await createCaller(api), await createCaller(api)];
    const { id } = (await invite(emailOf(guest), "member")).body.invitation;
    expect((await other.get("/users/current/invitations")).body.invitations).toEqual([]);
    expect((await other.post(`/invitations/${id}/accept`)).status).toBe(404);
    expect((await guest.get("/users/current/invitations")).body.invitations).toEqual([
      expect.objectContaining({ id, role: "member", account: expect.stringContaining(owner.accountId) }),
    ]);
    expect((await guest.post(`/invitations/${id}/decline`)).status).toBe(204);
    expect((await guest.post(`/invitations/${id}/accept`)).status).toBe(404);
    const again = (await invite(emailOf(guest), "member")).body.invitation.id;
    const accepted = await Promise.all([1, 2, 3].map(() => guest.post(`/invitations/${again}/accept`)));
    expect(accepted.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect((await invite(emailOf(guest), "member")).status).toBe(409);
  });

  it("is withdrawn by an administrator, replaced by the next one, and ends after 14 days", async () => {
    const guest = await createCaller(api);
    const first = (await invite(emailOf(guest), "viewer")).body.invitation;
    const second = (await invite(emailOf(guest), "admin")).body.invitation;
    const open = async () =>
      (await guest.get("/users/current/invitations")).body.invitations.map(({ id }: { id: string }) => id);
    expect(await open()).toEqual([second.id]);
    expect((await guest.post(`/invitations/${first.id}/accept`)).status).toBe(404);
    await db.invitation.update({ where: { id: second.id }, data: { expiresAt: new Date(0) } });
    expect([await open(), (await guest.post(`/invitations/${second.id}/accept`)).status]).toEqual([[], 404]);
    expect((await owner.delete(`/invitations/${second.id}`)).status).toBe(204);
    expect((await owner.delete(`/invitations/${second.id}`)).status).toBe(409);
    const listed = (await owner.get(`/accounts/${owner.accountId}/invitations`)).body.invitations;
    expect(listed.map(({ id }: { id: string }) => id)).not.toContain(second.id);
  });

  it("for the role of owner can be sent only by owners", async () => {
    const admin = await createCaller(api, { accountId: owner.accountId, role: "admin" });
    expect((await invite("a@example.com", "owner", admin)).status).toBe(403);
  });
});

it("lets every member leave, even a viewer, and lets only administrators remove others", async () => {
  const viewer = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
  const path = `/memberships/${(await own(viewer)).id}`;
  expect((await member.delete(path)).status).toBe(403);
  expect((await viewer.delete(path)).status).toBe(204);
  expect((await viewer.get(`/accounts/${owner.accountId}`)).status).toBe(404);
});

it("allows only owners to change and remove owners, and keeps the last owner", async () => {
  const admin = await createCaller(api, { accountId: owner.accountId, role: "admin" });
  const { id } = await own(owner);
  expect((await admin.delete(`/memberships/${id}`)).status).toBe(403);
  expect((await owner.delete(`/memberships/${id}`)).body.errors).toEqual(["an account must have at least one owner"]);
  expect((await owner.put(`/memberships/${id}`, { membership: { role: "viewer" } })).status).toBe(409);
  expect((await owner.get(`/accounts/${owner.accountId}/owners`)).body.users).toHaveLength(1);
});

it("revokes a member's tokens in the account, but not new ones", async () => {
  const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
  const elsewhere = await createCaller(api);
  await db.membership.create({
    data: { id: crypto.randomUUID(), accountId: elsewhere.accountId, userId: member.userId, role: "viewer" },
  });
  const statuses = async (caller = member) => [
    (await caller.get(`/accounts/${owner.accountId}`)).status,
    (await caller.get(`/accounts/${elsewhere.accountId}`)).status,
  ];
  expect(await statuses()).toEqual([200, 200]);
  const path = `/memberships/${(await own(member)).id}/revoke-tokens`;
  expect((await member.post(path)).status).toBe(403);
  expect((await owner.post(path)).status).toBe(200);
  expect(await statuses()).toEqual([404, 200]);
});

it("changes only an account's emergency contact", async () => {
  const path = `/accounts/${owner.accountId}`;
  const { status, body } = await owner.put(path, {
    account: { emergency_contact: "me", name: "Mine", billable: true },
  });
  expect([status, body.unpermitted]).toEqual([422, ["account.name", "account.billable"]]);
  expect((await owner.put(path, { account: { emergency_contact: null } })).body.account.emergency_contact).toBeNull();
});
