import { randomUUID } from "node:crypto";
import type { Environment } from "@gantry/db";
import { createEnvironment, createServer } from "@gantry/test/support/api";
import { expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { createRequestOf } from "@gantry/test/support/work";

const { db, owner, provider } = await startApiTest();
let environment: Environment;
beforeEach(async () => {
  environment = await createEnvironment(db, provider);
});

const inputWith = (changes: object = {}, id = environment.id) => ({
  environment: id,
  auto_scaling_group: { minimum_size: 1, maximum_size: 4, ...changes },
});

async function createGroup(changes: { provisionedId?: string | null } = {}) {
  const { accountId, id: environmentId, region } = environment;
  const sizes = { minimumSize: 1, maximumSize: 4, desiredCapacity: 1 };
  const row = { id: randomUUID(), accountId, providerId: provider.id, environmentId, region, ...sizes };
  const { id } = await db.autoScalingGroup.create({ data: { ...row, provisionedId: "g", ...changes } });
  return `/auto_scaling_groups/${id}`;
}

it("accepts a group around the app master, and shows it", async () => {
  const server = await createServer(db, environment, { role: "app_master" });
  const { status, body } = await owner.post("/auto_scaling_groups", inputWith({ minimum_size: 0 }));
  expect([status, body.request.type]).toEqual([200, "provision_auto_scaling_group"]);
  const created = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  expect(created.input).toEqual({ serverId: server.id });
  const { auto_scaling_group: group } = (await owner.get(resourcePath(body))).body;
  expect(group).toEqual({
    id: expect.any(String),
    account: `http://gantry.test/accounts/${owner.accountId}`,
    created_at: expect.any(String),
    deleted_at: null,
    disappeared_at: null,
    environment: `http://gantry.test/environments/${environment.id}`,
    provisioned_id: null,
    blueprint: null,
    flavor: null,
    minimum_size: 0,
    maximum_size: 4,
    desired_capacity: 1,
    location_id: "us-east-1",
    tags: {},
  });
});

it("refuses a group with a minimum above the maximum and writes nothing", async () => {
  await createServer(db, environment, { role: "app_master" });
  const send = () => owner.post("/auto_scaling_groups", inputWith({ minimum_size: 5 }));
  await expectRefusal(db, send, /minimum_size: must not be greater than maximum_size/);
});

it("refuses a group without a running app master", async () => {
  const send = () => owner.post("/auto_scaling_groups", inputWith());
  expect((await send()).status).toBe(409);
  await createServer(db, environment, { role: "util" });
  const { id } = await createServer(db, environment, { role: "solo", state: "stopped" });
  expect((await send()).body.errors).toEqual([`environment ${environment.id} has no running app master`]);
  await db.server.update({ where: { id }, data: { state: "running" } });
  expect((await send()).status).toBe(200);
});

it("refuses a group while its app master or its environment is being deprovisioned", async () => {
  const server = await createServer(db, environment, { role: "app_master" });
  const send = () => owner.post("/auto_scaling_groups", inputWith());
  const requestId = await createRequestOf(
    db,
    owner,
    "deprovision_server",
    { type: "server", id: server.id },
    { force: false },
  );
  expect((await send()).body.errors).toEqual([expect.stringContaining(`deprovision_server ${requestId}`)]);
  await db.request.delete({ where: { id: requestId } });
  await createRequestOf(db, owner, "deprovision_environment", { type: "environment", id: environment.id }, {});
  expect((await send()).status).toBe(409);
});

it("accepts ascending new sizes, and keeps those that are omitted", async () => {
  const path = await createGroup();
  const put = (sizes: object) => owner.put(path, { auto_scaling_group: sizes });
  const sizes = { minimum_size: 2, maximum_size: 5, desired_capacity: 3 };
  const { body } = await put(sizes);
  const created = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  expect(created).toMatchObject({
    type: "update_auto_scaling_group",
    input: { minimumSize: 2, maximumSize: 5, desiredCapacity: 3 },
  });
  for (const wrong of [{ desired_capacity: 1 }, { desired_capacity: 6 }, { minimum_size: 6 }, { maximum_size: 0 }]) {
    expect((await put({ ...sizes, ...wrong })).status).toBe(422);
  }
  const { request } = (await put({ maximum_size: 7 })).body;
  const { input } = await db.request.findUniqueOrThrow({ where: { id: request.id } });
  const { minimumSize, desiredCapacity } = await db.autoScalingGroup.findUniqueOrThrow({
    where: { id: path.split("/").at(-1) ?? "" },
  });
  expect(input).toEqual({ minimumSize, maximumSize: 7, desiredCapacity });
});

it("refuses new sizes of a group that is not provisioned, is being deprovisioned or was deleted", async () => {
  const sizes = { auto_scaling_group: { minimum_size: 1, maximum_size: 2, desired_capacity: 1 } };
  const path = await createGroup({ provisionedId: null });
  expect((await owner.put(path, sizes)).body.errors).toEqual([expect.stringMatching(/is not provisioned yet$/)]);
  await db.autoScalingGroup.updateMany({ where: { environmentId: environment.id }, data: { provisionedId: "g" } });
  expect((await owner.delete(path)).body.request.type).toBe("deprovision_auto_scaling_group");
  expect((await owner.put(path, sizes)).status).toBe(409);
  expect((await owner.delete(path)).status).toBe(409);
  await db.request.deleteMany({ where: { type: "deprovision_auto_scaling_group" } });
  await db.autoScalingGroup.updateMany({ where: { environmentId: environment.id }, data: { deletedAt: new Date() } });
  expect((await owner.put(path, sizes)).body.errors).toEqual([expect.stringMatching(/was deleted$/)]);
  expect((await owner.delete(path)).body.errors).toEqual([expect.stringMatching(/was already deleted$/)]);
});
