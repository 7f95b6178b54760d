import { resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { createDatabase } from "@gantry/test/support/databases";

const { api, db, owner, provider } = await startApiTest();

const database = () => createDatabase(db, api.env, { accountId: owner.accountId, provider });

it("accepts a snapshot, lists it below its server, service and provider, and removes it once", async () => {
  const { id, masterId } = await database();
  const input = { database_server_snapshot: { name: "before the move" } };
  const { body } = await owner.post(`/database-servers/${masterId}/snapshots`, input);
  expect(body.request.type).toBe("provision_database_server_snapshot");
  const path = resourcePath(body);
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

it("refuses a snapshot of a server that is not provisioned or is being deprovisioned", async () => {
  const { id, masterId } = await database();
  const send = () => owner.post(`/database-servers/${masterId}/snapshots`);
  await db.databaseServer.update({ where: { id: masterId }, data: { provisionedId: null } });
  expect((await send()).body.errors[0]).toMatch(/is not provisioned yet/);
  await db.databaseServer.update({ where: { id: masterId }, data: { provisionedId: "gantry-1" } });
  await owner.delete(`/database-services/${id}`);
  expect((await send()).body.errors[0]).toMatch(/has an unfinished request: deprovision_database_service/);
});
