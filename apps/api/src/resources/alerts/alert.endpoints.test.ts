import { createDatabaseServer, createEnvironment, createServer } from "@gantry/test/support/api";
import { expectRefusal, idsIn, startApiTest, urlOf } from "@gantry/test/support/api-test";

const { db, owner, provider } = await startApiTest();
const environment = await createEnvironment(db, provider);
const server = await createServer(db, environment);
const databaseServer = await createDatabaseServer(db, provider);

const alarm = {
  message: "the load is high",
  description: "more than 4 for a minute",
  severity: "warning",
  name: "load",
  external_id: "load-1",
};
const inputWith = (changes: object = {}) => ({ alert: { ...alarm, ...changes } });
const raise = async (changes: object = {}, path = `/servers/${server.id}/alerts`) =>
  (await owner.post(path, inputWith(changes))).body.alert;

it("raises an alert on a server and on a database server", async () => {
  const { status, body } = await owner.post(`/servers/${server.id}/alerts`, inputWith());
  expect([status, Object.keys(body)]).toEqual([201, ["alert"]]);
  expect(body.alert).toMatchObject({
    ...alarm,
    type: "server",
    resource: urlOf(`servers/${server.id}`),
    environment: urlOf(`environments/${environment.id}`),
    account: urlOf(`accounts/${owner.accountId}`),
    acknowledged: false,
    ignored: false,
    started_at: null,
    finished_at: null,
  });
  expect(await raise({ severity: "critical" }, `/database-servers/${databaseServer.id}/alerts`)).toMatchObject({
    type: "database_server",
    resource: urlOf(`database-servers/${databaseServer.id}`),
    environment: null,
    severity: "critical",
  });
  expect((await raise({ description: undefined })).description).toBe("");
});

it("refuses an empty message and writes nothing", async () => {
  const send = () => owner.post(`/servers/${server.id}/alerts`, inputWith({ message: " " }));
  await expectRefusal(db, send, "alert.message: must not be empty");
});

it("changes the alert's message, times and acknowledgement, and nothing else", async () => {
  const { id } = await raise();
  const changes = {
    started_at: "2026-01-01T10:00:00+00:00",
    finished_at: "2026-01-01T11:00:00+00:00",
    acknowledged: true,
    message: "better\nnow",
  };
  const { status, body } = await owner.put(`/alerts/${id}`, { alert: changes });
  expect([status, body.alert]).toEqual([200, expect.objectContaining(changes)]);
  const severity = { alert: { severity: "critical" } };
  expect((await owner.put(`/alerts/${id}`, severity)).body.alert.severity).toBe("warning");
  const earlier = { alert: { finished_at: "2026-01-01T09:00:00+00:00" } };
  expect((await owner.put(`/alerts/${id}`, earlier)).body.errors).toEqual([
    "alert.finished_at: must not be before started_at",
  ]);
  const reopened = await owner.put(`/alerts/${id}`, { alert: { finished_at: null } });
  expect([reopened.status, reopened.body.alert]).toEqual([200, expect.objectContaining(changes)]);
});

it("acknowledges and finishes an alert, and hides finished alerts from lists", async () => {
  const { id } = await raise({ name: "hidden" });
  expect((await owner.post(`/alerts/${id}/acknowledge`)).body.alert.acknowledged).toBe(true);
  expect(idsIn(await owner.get("/alerts?name=hidden"))).toEqual([id]);
  const finished = (await owner.post(`/alerts/${id}/finish`)).body.alert;
  expect(finished.finished_at).toMatch(/^20/);
  await db.alert.update({ where: { id }, data: { finishedAt: new Date("2026-01-01T10:00:00.123Z") } });
  expect((await owner.post(`/alerts/${id}/finish`)).body.alert.finished_at).toBe("2026-01-01T10:00:00+00:00");
  expect(idsIn(await owner.get("/alerts?name=hidden"))).toEqual([]);
  expect(idsIn(await owner.get("/alerts?name=hidden&deleted=true"))).toEqual([id]);
  expect(idsIn(await owner.get(`/servers/${server.id}/alerts?name=hidden&with_deleted=true`))).toEqual([id]);
  const at = encodeURIComponent("2026-01-01T10:00:00+00:00");
  expect(idsIn(await owner.get(`/alerts?finished_at=${at}&deleted=true`))).toEqual([id]);
  expect((await owner.get(`/alerts/${id}`)).status).toBe(200);
});

it("lists alerts by their server, environment and database", async () => {
  const own = await createEnvironment(db, provider);
  const one = await createServer(db, own);
  const other = await createServer(db, own);
  const database = await createDatabaseServer(db, provider);
  const a = (await raise({}, `/servers/${one.id}/alerts`)).id;
  const b = (await raise({}, `/servers/${other.id}/alerts`)).id;
  const c = (await raise({}, `/database-servers/${database.id}/alerts`)).id;
  const listed = async (path: string) => idsIn(await owner.get(path));
  for (const name of ["alerts", "server_alerts"]) {
    expect(await listed(`/environments/${own.id}/${name}`)).toEqual([b, a]);
    expect(await listed(`/servers/${one.id}/${name}`)).toEqual([a]);
  }
  expect(await listed(`/database-servers/${database.id}/alerts`)).toEqual([c]);
  expect(await listed(`/database-services/${database.databaseServiceId}/alerts`)).toEqual([c]);
  const ofAccount = await listed(`/accounts/${owner.accountId}/server_alerts?per_page=100`);
  expect([ofAccount.includes(a), ofAccount.includes(b), ofAccount.includes(c)]).toEqual([true, true, false]);
  expect(await listed(`/alerts?server[]=${one.id}&server[]=${other.id}`)).toEqual([b, a]);
  expect(await listed(`/alerts?database_server=${database.id}`)).toEqual([c]);
  expect(await listed(`/alerts?type=server&environment=${own.id}&finished_at`)).toEqual([b, a]);
  expect(await listed(`/alerts?type=database_server&database_server=${database.id}`)).toEqual([c]);
  expect(await listed(`/alerts?type=server&database_server=${database.id}`)).toEqual([]);
});

it("raises an alert only on the server or database server in the body", async () => {
  for (const [named, shown] of [
    [{ server_id: server.id }, `servers/${server.id}`],
    [{ server_id: urlOf(`servers/${server.id}`) }, `servers/${server.id}`],
    [{ database_server_id: databaseServer.id }, `database-servers/${databaseServer.id}`],
  ] as const) {
    const { status, body } = await owner.post("/alerts", { ...named, ...inputWith({}) });
    expect([status, body.alert.resource]).toEqual([201, urlOf(shown)]);
  }
  const sentence = "must have either a server_id or a database_server_id";
  for (const named of [{}, { server_id: server.id, database_server_id: databaseServer.id }])
    await expectRefusal(db, () => owner.post("/alerts", { ...named, ...inputWith({}) }), sentence);
});

it("accepts times in Ruby's format", async () => {
  const { id } = await raise();
  const { status, body } = await owner.put(`/alerts/${id}`, { alert: { started_at: "2026-11-22 19:02:37 +0100" } });
  expect([status, body.alert.started_at]).toEqual([200, "2026-11-22T18:02:37+00:00"]);
  expect((await owner.put(`/alerts/${id}`, { alert: { started_at: "2026-11-22 19:02:37" } })).status).toBe(422);
});
