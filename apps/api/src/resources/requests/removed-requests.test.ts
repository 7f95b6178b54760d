import { callbackToken } from "@gantry/requests";
import { createEnvironment, createServer, createVolume } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { testKeys } from "@gantry/test/support/stack";

const { db, owner, provider } = await startApiTest();
const server = await createServer(db, await createEnvironment(db, provider));
await createVolume(db, provider, { serverId: server.id });

it("answers 404 for a Request that the retention removed, and shows the records that name it", async () => {
  const { request } = (await owner.post(`/servers/${server.id}/snapshot`)).body;
  const { id } = request as { id: string };
  expect((await owner.get(`/requests/${id}`)).status).toBe(200);
  await db.request.delete({ where: { id } });

  const pages = ["", "/dependencies", "/requester", "/stages", "/messages", "/events", "/checks"];
  const reads = await Promise.all(pages.map((page) => owner.get(`/requests/${id}${page}`)));
  const report = { token: callbackToken(testKeys.callbacks, id), status: "finished" };
  const changes = [
    await owner.post(`/requests/${id}/cancel`),
    await owner.post(`/requests/${id}/retry`),
    await owner.post(`/requests/${id}/callback`, report),
    await owner.get(`/servers/${server.id}/snapshots/${id}`),
  ];
  expect([...reads, ...changes].map(({ status }) => status)).toEqual(Array.from({ length: 11 }, () => 404));

  expect((await owner.get("/requests")).body.requests).toEqual([]);
  const { snapshots } = (await owner.get("/snapshots")).body;
  expect(snapshots).toMatchObject([{ snapshot_server_request: `http://gantry.test/requests/${id}` }]);
  expect((await owner.delete(`/snapshots/${snapshots[0].id}`)).status).toBeLessThan(500);
  const events = await owner.get(`/accounts/${owner.accountId}/events`);
  expect(events.status).toBe(200);
  expect(events.body.events).toContainEqual(expect.objectContaining({ request: `http://gantry.test/requests/${id}` }));
});
