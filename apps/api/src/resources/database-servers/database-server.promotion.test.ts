import { createCaller } from "@gantry/test/support/api";
import { expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { createDatabase, DATABASE_PASSWORD, requestReplica } from "@gantry/test/support/databases";

const { api, db, owner, provider } = await startApiTest();
const tenant = () => ({ accountId: owner.accountId, provider });

/** A database with a replica, both provisioned. */
async function replicated(options: Parameters<typeof createDatabase>[3] = {}) {
  const { id, masterId } = await createDatabase(db, api.env, tenant(), options);
  const replica = await requestReplica(db, tenant(), masterId);
  const ended = { startedAt: new Date(), finishedAt: new Date(), successful: true };
  await db.request.update({ where: { id: replica.requestId }, data: ended });
  const provisionedId = `gantry-${replica.id}`;
  await db.databaseServer.update({ where: { id: replica.id }, data: { provisionedId, state: "available" } });
  return { id, masterId, replicaId: replica.id, promote: `/database-servers/${replica.id}/promote` };
}

it("accepts a new database like the former one, with a password and a firewall of its own", async () => {
  const { id, masterId, replicaId, promote } = await replicated();
  await db.databaseService.update({ where: { id }, data: { tags: { team: "shop" }, serviceLevel: "level-2" } });
  await db.databaseServer.update({ where: { id: replicaId }, data: { flavor: "db.m4.xlarge" } });
  const { status, body, text } = await owner.post(promote, { database_service: { name: "reports", notes: "monthly" } });
  expect([status, body.request?.type]).toEqual([200, "promote_database_server"]);
  const path = resourcePath(body);
  const { database_service: shown } = (await owner.get(path)).body;
  expect(shown).toMatchObject({
    ...{ name: "reports", notes: "monthly", engine: "mysql", version: "5.7.17", username: "gantry" },
    ...{ db_master_flavor: "db.m4.xlarge", service_level: "community", tags: { team: "shop" } },
  });
  expect(shown.password).not.toBe(DATABASE_PASSWORD);
  expect(text).not.toContain(shown.password);
  expect(await db.firewall.count({ where: { databaseServiceId: shown.id } })).toBe(1);
  const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  expect(input).toEqual({ serverId: replicaId, formerServiceId: id });
  const { database_server: server } = (await owner.get(`/database-servers/${replicaId}`)).body;
  expect(server.database_service).toContain(id);
  expect(server.replication_source).toContain(masterId);
});

it("plans the restart, the costs and that nothing undoes it", async () => {
  const { masterId, promote } = await replicated();
  const { plan } = (await owner.post(`${promote}?dry_run=true`)).body;
  expect(plan).toMatchObject({
    stages: ["create-firewall", "promote", "set-password", "move"],
    changes: [{ field: "replication_source", from: masterId, to: null, away_seconds: { least: 60, most: 900 } }],
    estimate: expect.anything(),
  });
  expect(plan.changes[0].undo).toMatch(/cannot be undone/);
});

it("keeps the replica, its source and both databases as they are meanwhile", async () => {
  const { id, masterId, replicaId, promote } = await replicated();
  const { body } = await owner.post(promote);
  const created = resourcePath(body);
  const server = `/database-servers/${replicaId}`;
  const refused = [
    () => owner.post(promote),
    () => owner.post(`${server}/modify`, { database_server: { storage: 40 } }),
    () => owner.post(`${server}/reboot`),
    () => owner.post(`/database-servers/${masterId}/modify`, { database_server: { storage: 40 } }),
    () => owner.post(`/database-servers/${masterId}/reboot`),
    () => owner.post(`/database-servers/${masterId}/stop`),
    () => owner.post(`${server}/snapshots`),
    () => owner.post(`/database-services/${id}/rotate-credentials`),
    () => owner.delete(server),
    () => owner.delete(`/database-services/${id}`),
    () => owner.delete(created),
  ];
  for (const call of refused) {
    const { status, text, body: refusal } = await call();
    expect([status, text]).toEqual([409, expect.stringContaining("promote_database_server")]);
    expect(refusal.blocking).toEqual([expect.stringContaining(`requests/${body.request.id}`)]);
  }
  for (const call of [
    () => owner.post(`${created}/rotate-credentials`),
    () => owner.post(`${created}/restore`, { restore: { latest: true } }),
    () => owner.get(`${created}/logs`),
  ])
    expect((await call()).status).toBe(409);
});

it("lets the new database of a failed promotion be removed, or the promotion be retried", async () => {
  const { promote } = await replicated();
  const { body } = await owner.post(promote);
  const data = { finishedAt: new Date(), successful: false };
  await db.request.update({ where: { id: body.request.id }, data });
  const retry = `/requests/${body.request.id}/retry`;
  const retried = await owner.post(retry);
  expect(retried.status).toBe(200);
  await db.request.update({ where: { id: retried.body.request.id }, data });
  const path = resourcePath(body);
  expect((await owner.delete(`${path}?final_snapshot=true`)).status).toBe(409);
  const removal = await owner.delete(path);
  expect([removal.status, removal.body.request.type]).toEqual([200, "deprovision_database_service"]);
});

it.each<[title: string, prepare: (made: Awaited<ReturnType<typeof replicated>>) => Promise<unknown>, sentence: RegExp]>(
  [
    [
      "a replica that is rebooted",
      ({ replicaId }) => owner.post(`/database-servers/${replicaId}/reboot`),
      /unfinished request: update_database_server/,
    ],
    [
      "a replica of which a snapshot is taken",
      ({ replicaId }) => owner.post(`/database-servers/${replicaId}/snapshots`),
      /unfinished request: provision_database_server_snapshot/,
    ],
    [
      "a replica of a database whose credentials are rotated",
      ({ id }) => owner.post(`/database-services/${id}/rotate-credentials`),
      /unfinished request: rotate_database_credentials/,
    ],
    [
      "a replica that is removed",
      ({ replicaId }) => owner.delete(`/database-servers/${replicaId}`),
      /unfinished request: deprovision_database_server/,
    ],
    [
      "a replica with changes that wait for the maintenance window",
      ({ replicaId }) => db.databaseServer.update({ where: { id: replicaId }, data: { pending: { storage: 30 } } }),
      /changes that wait for the maintenance window/,
    ],
  ],
)("refuses %s", async (_title, prepare, sentence) => {
  const made = await replicated();
  await prepare(made);
  const { status, text } = await owner.post(made.promote);
  expect([status, text]).toEqual([409, expect.stringMatching(sentence)]);
});

it("refuses a master, Aurora, a name that is taken, and viewers", async () => {
  const { masterId, promote } = await replicated();
  const ofMaster = await owner.post(`/database-servers/${masterId}/promote`);
  expect([ofMaster.status, ofMaster.body.errors]).toEqual([409, [`database server ${masterId} is a master already`]]);
  const aurora = await replicated({ engine: "aurora", version: "5.6.10a", flavor: "db.r3.large" });
  await expectRefusal(db, () => owner.post(aurora.promote), /^database_server: is a member of an Aurora cluster/);
  const { name } = await db.databaseService.findFirstOrThrow({ where: { accountId: owner.accountId } });
  expect((await owner.post(promote, { database_service: { name } })).status).toBe(409);
  const viewer = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  expect((await viewer.post(promote)).status).toBe(403);
});
