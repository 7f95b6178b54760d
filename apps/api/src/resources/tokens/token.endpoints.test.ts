import { createCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { expect, it } from "@jest/globals";
import supertest from "supertest";

const password = "correct horse battery";
const { api, db, owner } = await startApiTest({ password });

const signIn = (body: object) => supertest(api.app).post("/tokens").send(body);
const using = (token: string, path = "/users/current") =>
  supertest(api.app).get(path).set("Authorization", `Bearer ${token}`);
const email = () => `${owner.userId}@example.com`;

it("answers the right password with a token, and stores only its digest", async () => {
  const { status, body, headers } = await signIn({ email: email().toUpperCase(), password });
  expect([status, Object.keys(body), headers["cache-control"]]).toEqual([201, ["api_token"], "no-store"]);
  expect((await using(body.api_token)).body.user.id).toBe(owner.userId);
  const stored = JSON.stringify(await db.token.findMany());
  expect(stored).not.toContain(body.api_token);
});

it("answers a wrong password like an unknown e-mail", async () => {
  const wrong = await signIn({ email: email(), password: "guess" });
  const unknown = await signIn({ email: "unknown@example.com", password });
  expect([wrong.status, unknown.status]).toEqual([401, 401]);
  expect(wrong.body.errors).toEqual(unknown.body.errors);
  expect((await signIn({ email: email() })).body.missing).toBe("password");
});

it("creates, lists and revokes the caller's tokens, and refuses a revoked token", async () => {
  const created = await owner.post("/tokens", { token: { name: "ci", scopes: ["read"] } });
  expect(created.body.token).toMatchObject({ name: "ci", scopes: ["read"], expires_at: null });
  const { api_token: text, token } = created.body;
  expect((await using(text)).status).toBe(200);
  const { tokens } = (await owner.get("/tokens")).body;
  expect(tokens.map(({ id }: { id: string }) => id)).toContain(token.id);
  const other = await createCaller(api, { accountId: owner.accountId });
  expect((await other.delete(`/tokens/${token.id}`)).status).toBe(404);
  expect((await owner.delete(`/tokens/${token.id}`)).status).toBe(204);
  expect((await using(text)).status).toBe(401);
  expect((await owner.delete(`/tokens/${token.id}`)).status).toBe(404);
});

it("lets a token read and write by default, and gives none that the caller's token lacks", async () => {
  expect((await owner.post("/tokens", { token: { name: "usual" } })).body.token.scopes).toEqual(["read", "write"]);
  const writer = await createCaller(api, { scopes: ["read", "write"] });
  const { status, body } = await writer.post("/tokens", { token: { name: "more", scopes: ["read", "admin"] } });
  expect([status, body.errors]).toEqual([403, ["a token cannot grant scopes that it lacks: admin"]]);
  const reader = await createCaller(api, { scopes: ["read"] });
  expect((await reader.post("/tokens", { token: { name: "r", scopes: ["read"] } })).status).toBe(403);
});

it("refuses an expired token", async () => {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await owner.post("/tokens", { token: { name: "short", scopes: ["read"], expires_at } });
  expect((await using(body.api_token)).status).toBe(200);
  await db.token.update({ where: { id: body.token.id }, data: { expiresAt: new Date(0) } });
  await owner.delete(`/tokens/${(await owner.post("/tokens", { token: { name: "x" } })).body.token.id}`);
  expect((await using(body.api_token)).status).toBe(401);
  expect((await owner.post("/tokens", { token: { name: "past", expires_at: "2020-01-01T00:00:00Z" } })).status).toBe(
    422,
  );
});
