import { createCaller, type TestCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import supertest from "supertest";

const password = "correct horse battery";
const { api, db, owner } = await startApiTest();

const signIn = (email: string, password: string) => supertest(api.app).post("/tokens").send({ email, password });
const using = (token: string, path = "/users/current") =>
  supertest(api.app).get(path).set("Authorization", `Bearer ${token}`);

describe("a changed password", () => {
  it("ends every session except the one in use, and invalidates the old password", async () => {
    const user = await createCaller(api, { password });
    const email = `${user.userId}@example.com`;
    const other = (await signIn(email, password)).body.api_token;
    const change = (current_password: string) =>
      user.put("/users/current/password", { current_password, password: "another horse battery" });
    expect((await change("a guess")).body.errors).toEqual(["the current password is wrong"]);
    expect((await using(other)).status).toBe(200);
    expect((await change(password)).status).toBe(204);
    expect([(await using(other)).status, (await user.get("/users/current")).status]).toEqual([401, 200]);
    expect((await signIn(email, password)).status).toBe(401);
    expect((await signIn(email, "another horse battery")).status).toBe(201);
  });

  it("cannot be guessed by its token", async () => {
    const user = await createCaller(api, { password });
    const statuses = new Set<number>();
    for (let i = 0; i < 25; i++)
      statuses.add((await user.put("/users/current/password", { current_password: `${i}`, password })).status);
    expect(statuses).toEqual(new Set([403, 429]));
  });
});

describe("the deletion of a user", () => {
  it("ends the user's tokens, memberships and keypairs, and keeps the Requests", async () => {
    const user = await createCaller(api, { accountId: owner.accountId, role: "member", password });
    await db.keypair.create({
      data: { userId: user.userId, name: "k", publicKey: "ssh-ed25519 AAAA", fingerprint: "0" },
    });
    expect((await user.delete(`/users/${owner.userId}`)).status).toBe(403);
    expect((await user.delete(`/users/${user.userId}`)).status).toBe(204);
    expect((await user.get("/users/current")).status).toBe(401);
    expect((await signIn(`${user.userId}@example.com`, password)).status).toBe(401);
    expect(await db.membership.count({ where: { userId: user.userId } })).toBe(0);
    expect(await db.keypair.count({ where: { userId: user.userId } })).toBe(0);
    expect((await owner.get(`/users/${user.userId}`)).status).toBe(404);
  });

  it("is refused for the only owner of an account, and allowed for staff", async () => {
    const only = await createCaller(api);
    const { status, body } = await only.delete(`/users/${only.userId}`);
    expect([status, body.errors[0]]).toEqual([409, expect.stringContaining(only.accountId)]);
    const next = await createCaller(api, { accountId: only.accountId });
    const staff = await createCaller(api, { staff: true });
    const end = () => staff.delete(`/users/${only.userId}`);
    expect((await end()).body.errors).toEqual([expect.stringContaining("Gantry-Reason")]);
    expect((await end().set("Gantry-Reason", "ticket 7")).status).toBe(204);
    const { audit_records } = (await next.get(`/accounts/${only.accountId}/audit?user=${staff.userId}`)).body;
    expect(audit_records).toEqual([
      expect.objectContaining({ action: "DELETE /users/:user", reason: "ticket 7", subject: `user/${only.userId}` }),
    ]);
    expect((await only.get("/users/current")).status).toBe(401);
  });
});

it("reports that an e-mail is taken, by whom and in which field", async () => {
  const staff = await createCaller(api, { staff: true });
  const email = `${owner.userId}@EXAMPLE.com`;
  const { status, body } = await staff.post("/users", { user: { name: "Another", email, password } });
  const message = "Email has already been taken";
  expect([status, body.errors, body.details]).toEqual([422, [message], [{ path: "user.email", message }]]);
  expect(body.blocking).toEqual([`http://gantry.test/users/${owner.userId}`]);
});

it("reports the same if the e-mail is taken concurrently", async () => {
  const staff = await createCaller(api, { staff: true });
  const user = { name: "Double", email: "double@example.com", password };
  const answers = await Promise.all([1, 2, 3].map(() => staff.post("/users", { user })));
  const losers = answers.filter(({ status }) => status !== 201);
  const message = "Email has already been taken";
  const refused = [422, [message], [{ path: "user.email", message }]];
  expect(losers.map(({ status, body }) => [status, body.errors, body.details])).toEqual([refused, refused]);
});

it("creates a user without a password, who signs in once staff have set one, and again after the next one", async () => {
  const staff = await createCaller(api, { staff: true, reason: "ticket 7" });
  const email = "later@example.com";
  const form = new URLSearchParams({ "user[name]": "Later", "user[email]": email, "user[password]": "" });
  const { status, body } = await staff.post(`/users?${form}`).type("form");
  expect([status, body.errors]).toEqual([201, undefined]);
  const { id } = body.user;
  const signIn = (secret: string) => staff.post("/tokens", { email, password: secret });
  for (const secret of ["", "null", "none at all so far"]) expect((await signIn(secret)).status).not.toBe(201);

  const setPassword = (caller: TestCaller, secret: string, user = id) =>
    caller.put(`/users/${user}/password`, { password: secret });
  expect((await setPassword(staff, password)).status).toBe(204);
  const { api_token: token } = (await signIn(password)).body;
  const current = () => staff.get("/users/current").set("Authorization", `Bearer ${token}`);
  expect((await current()).body.user.id).toBe(id);
  expect((await setPassword(staff, "another horse battery")).status).toBe(204);
  expect([(await current()).status, (await signIn(password)).status]).toEqual([401, 401]);
  expect((await signIn("another horse battery")).status).toBe(201);

  for (const [caller, user] of [
    [owner, id],
    [staff, staff.userId],
  ] as const) {
    const refused = await setPassword(caller, password, user);
    expect([refused.status, refused.body.errors]).toEqual([
      403,
      [expect.stringContaining("PUT /users/current/password")],
    ]);
  }
  const hasty = await createCaller(api, { staff: true });
  expect((await setPassword(hasty, password)).body.errors).toEqual([expect.stringContaining("Gantry-Reason")]);
});

it("sets no password of a deleted user or a service", async () => {
  const staff = await createCaller(api, { staff: true, reason: "ticket 7" });
  const ended = await createCaller(api, { accountId: owner.accountId, role: "member", password });
  expect((await ended.delete(`/users/${ended.userId}`)).status).toBe(204);
  await owner.post(`/accounts/${owner.accountId}/service-tokens`, { service_token: { name: "ci", role: "viewer" } });
  const { id: service } = await db.user.findFirstOrThrow({ where: { service: true } });
  const sentence = "this user is a service, which cannot sign in with a password";
  for (const [id, answer] of [
    [ended.userId, [404, ["not found"]]],
    [service, [409, [sentence]]],
  ] as const) {
    const { status, body } = await staff.put(`/users/${id}/password`, { password });
    expect([status, body.errors]).toEqual(answer);
    expect((await db.user.findUniqueOrThrow({ where: { id } })).passwordHash).toBe("");
  }
});
