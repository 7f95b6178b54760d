import { Vault } from "@gantry/db";
import { createCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { createDatabase, DATABASE_PASSWORD, passwordsOf } from "@gantry/test/support/databases";

const { api, db, owner, provider } = await startApiTest();

const passwords = (id: string) => passwordsOf({ db, env: api.env }, id);

async function database() {
  const { id, masterId } = await createDatabase(db, api.env, { accountId: owner.accountId, provider });
  return { id, masterId, path: `/database-services/${id}`, rotation: `/database-services/${id}/rotate-credentials` };
}

it("keeps a new sealed password beside the present one, which the record still shows", async () => {
  const { id, path, rotation } = await database();
  const { status, body, text } = await owner.post(rotation);
  expect([status, body.request.type]).toEqual([200, "rotate_database_credentials"]);
  const { next, isSent, passwords: shown } = await passwords(id);
  expect([next, isSent, shown]).toEqual([
    expect.stringMatching(/^[\w-]{32}$/),
    false,
    [DATABASE_PASSWORD, DATABASE_PASSWORD],
  ]);
  expect((await owner.get(path)).body.database_service.password).toBe(DATABASE_PASSWORD);
  const paths = [path, `${path}/servers`, `/requests/${body.request.id}`, `/accounts/${owner.accountId}/audit`];
  paths.push(`/accounts/${owner.accountId}/events`);
  const seen = await Promise.all(paths.map((each) => owner.get(each)));
  expect(seen.map((each) => each.status)).toEqual(paths.map(() => 200));
  const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  const texts = [text, JSON.stringify(input), ...seen.map((each) => each.text)].join();
  expect(texts).not.toContain(next);
  expect(texts).not.toContain("next_password");
});

it("plans a rotation without a password and without a time away, and changes nothing", async () => {
  const { id, rotation } = await database();
  const { plan } = (await owner.post(`${rotation}?dry_run=true`)).body;
  expect(plan).toMatchObject({
    changes: [
      { field: "password", from: null, to: null, effect: expect.stringContaining("stay open"), away_seconds: null },
    ],
    estimate: expect.anything(),
  });
  expect(await passwords(id)).toMatchObject({ next: null, isSent: false });
});

it("answers 409 while another rotation lasts, also to a new replica, and while the database is not in AWS", async () => {
  const { masterId, rotation } = await database();
  const [first, second] = await Promise.all([owner.post(rotation), owner.post(rotation)]);
  const [accepted, refused] = first.status === 200 ? [first, second] : [second, first];
  expect([accepted.status, refused.status]).toEqual([200, 409]);
  const blocking = [expect.stringMatching(`/requests/${accepted.body.request.id}$`)];
  expect(refused.body).toMatchObject({ blocking });
  const replica = await owner.post("/database-servers", { replication_source: masterId });
  expect([replica.status, replica.text]).toEqual([409, expect.stringContaining("rotate_database_credentials")]);
  const other = await database();
  await db.databaseServer.update({ where: { id: other.masterId }, data: { provisionedId: null } });
  expect((await owner.post(other.rotation)).status).toBe(409);
});

it("sets a password again that the database may have, and a new one otherwise", async () => {
  const { id, rotation } = await database();
  const location = { table: "database_services", column: "next_password", id, account: owner.accountId };
  const nextPassword = await new Vault(api.env.MASTER_KEY).encrypt("a-password-of-before", location);
  for (const nextPasswordSent of [true, false]) {
    await db.databaseService.update({ where: { id }, data: { nextPassword, nextPasswordSent } });
    const { body } = await owner.post(rotation);
    const { next, isSent } = await passwords(id);
    expect([isSent, next === "a-password-of-before"]).toEqual([nextPasswordSent, nextPasswordSent]);
    const failed = { finishedAt: new Date(), successful: false };
    await db.request.update({ where: { id: body.request.id }, data: failed });
    const retried = await owner.post(`/requests/${body.request.id}/retry`);
    expect([retried.status, retried.text]).toEqual([409, expect.stringContaining("rotate the credentials again")]);
  }
});

it("refuses viewers", async () => {
  const { rotation } = await database();
  const viewer = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  expect((await viewer.post(rotation)).status).toBe(403);
});
