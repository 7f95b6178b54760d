import { randomUUID } from "node:crypto";
import { type Provider, Vault } from "@gantry/db";
import {
  createCaller,
  createProvider,
  startTestApi,
  type TestApi,
  type TestCaller,
  ZONE,
} from "@gantry/test/support/api";
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

const customer = () => ({ accountId: owner.accountId, provider });

it("shows the password to who may read secrets, and nowhere else", async () => {
  const reader = await createCaller(api, { accountId: owner.accountId, scopes: ["read", "write"] });
  const mysql = { engine: "mysql", version: "5.7.17", flavor: "db.m4.large", location: ZONE };
  const wanted = { provider: provider.id, database_server: mysql };
  const { body, text: accepted } = await owner.post("/database-services", wanted);
  const path = new URL(body.request.resource).pathname;
  const shown = await owner.get(path);
  const { password, id } = shown.body.database_service;
  expect(password).toMatch(/^[\w-]{32}$/);
  expect(shown.headers["cache-control"]).toBe("no-store");
  const row = await api.db.databaseService.findUniqueOrThrow({ where: { id } });
  const place = { table: "database_services", column: "password", id, account: owner.accountId };
  expect(await new Vault(api.env.MASTER_KEY).open(row.password as Uint8Array, place)).toBe(password);
  const [server] = (await owner.get(`${path}/servers`)).body.database_servers;
  expect(server.password).toBe(password);

  const paths = [path, "/database-services", `${path}/servers`, `/database-servers/${server.id}`, `${path}/messages`];
  const seen = await Promise.all([...paths, `${path}/requests`].map((each) => reader.get(each)));
  expect(seen.map(({ status }) => status)).toEqual(seen.map(() => 200));
  expect(seen[0]?.body.database_service.password).toBeNull();
  expect(seen[2]?.body.database_servers[0].password).toBeNull();
  const { input } = await api.db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  expect(`${accepted}${JSON.stringify(input)}${seen.map(({ text }) => text)}`).not.toContain(password);
});

it("points at AWS's console for the right region and server", async () => {
  const { id, masterId, provisionedId } = await createDatabase(api.db, api.env, customer());
  const page = "https://us-east-1.console.aws.amazon.com";
  const ofLogs = `${page}/rds/home?region=us-east-1#database:id=${provisionedId};is-cluster=false;tab=logs-and-events`;
  for (const query of ["", `?database_server=${masterId}`]) {
    expect((await owner.get(`/database-services/${id}/logs${query}`)).body).toEqual({ logs_url: ofLogs });
  }
  expect((await owner.get(`/database-services/${id}/events`)).body).toEqual({ events_url: ofLogs });
  const { metrics_url: metrics } = (await owner.get(`/database-services/${id}/metrics`)).body;
  expect(metrics).toMatch(new RegExp(`^${page}/cloudwatch/home\\?region=us-east-1#metricsV2:.*${provisionedId}\\*22$`));
  const other = await createDatabase(api.db, api.env, customer());
  expect((await owner.get(`/database-services/${id}/logs?database_server=${other.masterId}`)).status).toBe(404);
  await api.db.databaseServer.update({ where: { id: masterId }, data: { provisionedId: null } });
  expect((await owner.get(`/database-services/${id}/logs`)).status).toBe(409);
});

it("lists by provider, name and account, and its servers by what they are", async () => {
  const other = await createProvider(api.db, owner.accountId);
  const made = await createDatabase(api.db, api.env, { ...customer(), provider: other });
  const { name } = await api.db.databaseService.findUniqueOrThrow({ where: { id: made.id } });
  const lists = [`/database-services?provider=${other.id}`, `/database-services?name=${name}`];
  const ofOthers = [
    `/providers/${other.id}/database-services`,
    `/accounts/${owner.accountId}/database_services?name=${name}`,
  ];
  for (const path of [...lists, ...ofOthers]) {
    const { database_services: found } = (await owner.get(path)).body;
    expect([path, found.map(({ id }: { id: string }) => id)]).toEqual([path, [made.id]]);
  }
  const server = `provisioned_id=${made.provisionedId}&endpoint=${encodeURIComponent(made.endpoint)}&storage=20`;
  const kind = "engine=mysql&version=5.7.17&provisioner_id=db-ABCDEFGHIJKLMNOP&flavor=db.m4.large";
  for (const path of [
    `/database-services/${made.id}/servers?${kind}`,
    `/database-servers?${server}&location=${ZONE}`,
  ]) {
    expect((await owner.get(path)).body.database_servers.map(({ id }: { id: string }) => id)).toEqual([made.masterId]);
  }
  for (const query of ["storage=21", "version=5.6.22", "engine=postgres", "endpoint=x", "provisioner_id=x"]) {
    expect((await owner.get(`/database-services/${made.id}/servers?${query}`)).body.database_servers).toEqual([]);
  }
});

it("shows the requests on it and what they said", async () => {
  const { id, masterId, requestId } = await createDatabase(api.db, api.env, customer());
  const said = { id: randomUUID(), requestId, stage: "create-master", message: "Created DB instance" };
  await api.db.requestMessage.create({ data: said });
  for (const path of [`/database-services/${id}/messages`, `/database-servers/${masterId}/messages`]) {
    expect((await owner.get(path)).body.messages).toEqual([
      { ...said, requestId: undefined, created_at: expect.any(String), type: null, resource: null },
    ]);
  }
  const { requests } = (await owner.get(`/database-services/${id}/requests`)).body;
  expect(requests.map((request: { id: string }) => request.id)).toEqual([requestId]);
});
