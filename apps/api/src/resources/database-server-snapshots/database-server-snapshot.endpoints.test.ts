import type { Provider } from "@gantry/db";
import { createCaller, createProvider, startTestApi, type TestApi, type TestCaller } from "@gantry/test/support/api";
import { createDatabase } from "@gantry/test/support/databases";
import { afterAll, beforeAll, expect, it } from "@jest/globals";

let api: TestApi;
let owner: TestCaller;
let provider: Provider;

beforeAll(async () => {
  api = await startTestApi();
  owner = await createCaller(api);
  provider = await createProvider(api.db, owner.accountId);
});
afterAll(() => api.close());

const database = () => createDatabase(api.db, api.env, { accountId: owner.accountId, provider });

it("accepts a snapshot, lists it wherever it belongs, and removes it once", async () => {
  const { id, masterId } = await database();
  const wanted = { database_server_snapshot: { name: "before the move" } };
  const { body } = await owner.post(`/database-servers/${masterId}/snapshots`, wanted);
  expect(body.request.type).toBe("provision_database_server_snapshot");
  const path = new URL(body.request.resource).pathname;
  const { database_server_snapshot: shown } = (await owner.get(path)).body;
  expect(shown).toMatchObject({
    name: "before the move",
    state: "starting",
    progress: 0,
    storage: 20,
    engine: "mysql",
  });
  for (const list of [
    `/database-servers/${masterId}/snapshots`,
    `/database-services/${id}/snapshots`,
    `/providers/${provider.id}/database_server_snapshots`,
    `/database-server-snapshots?database_server=${masterId}&state=starting`,
  ]) {
    expect([list, (await owner.get(list)).body.database_server_snapshots]).toEqual([list, [shown]]);
  }
  expect((await owner.delete(path)).body.request.type).toBe("deprovision_database_server_snapshot");
  expect((await owner.delete(path)).status).toBe(409);
});

it("takes none of a server that is not there yet or is going, nor of another account's", async () => {
  const { id, masterId } = await database();
  const ask = (caller = owner) => caller.post(`/database-servers/${masterId}/snapshots`);
  expect((await ask(await createCaller(api))).status).toBe(404);
  await api.db.databaseServer.update({ where: { id: masterId }, data: { provisionedId: null } });
  expect((await ask()).body.errors[0]).toMatch(/is not provisioned yet/);
  await api.db.databaseServer.update({ where: { id: masterId }, data: { provisionedId: "gantry-1" } });
  await owner.delete(`/database-services/${id}`);
  expect((await ask()).body.errors[0]).toMatch(/has an open request: deprovision_database_service/);
});
