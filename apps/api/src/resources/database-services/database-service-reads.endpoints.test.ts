import { randomUUID } from "node:crypto";
import { Vault } from "@gantry/db";
import { createCaller, ZONE } from "@gantry/test/support/api";
import { resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { createDatabase } from "@gantry/test/support/databases";

const { api, db, owner, provider } = await startApiTest();

const tenant = () => ({ accountId: owner.accountId, provider });

it("shows the password in a single record, to members with the scope secrets:read", async () => {
  const narrow = await createCaller(api, { accountId: owner.accountId, scopes: ["read", "write"] });
  const viewer = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  const mysql = { engine: "mysql", version: "5.7.17", flavor: "db.m4.large", location: ZONE };
  const attributes = { provider: provider.id, database_server: mysql };
  const { body, text: accepted } = await owner.post("/database-services", attributes);
  const path = resourcePath(body);
  const shown = await owner.get(path);
  const { password, id } = shown.body.database_service;
  expect(password).toMatch(/^[\w-]{32}$/);
  expect(shown.headers["cache-control"]).toBe("no-store");
  const row = await db.databaseService.findUniqueOrThrow({ where: { id } });
  const location = { table: "database_services", column: "password", id, account: owner.accountId };
  expect(await new Vault(api.env.MASTER_KEY).decrypt(row.password as Uint8Array, location)).toBe(password);
  const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
  expect((await member.get(path)).body.database_service.password).toBe(password);
  const [server] = (await owner.get(`${path}/servers`)).body.database_servers;
  expect(server.password).toBeNull();
  expect((await owner.get(`/database-servers/${server.id}`)).body.database_server.password).toBe(password);
  expect((await owner.get("/database-services")).text).not.toContain(password);

  const paths = [path, "/database-services", `${path}/servers`, `/database-servers/${server.id}`, `${path}/messages`];
  const readers = [narrow, viewer].flatMap((by) => [...paths, `${path}/requests`].map((each) => by.get(each)));
  const seen = await Promise.all(readers);
  expect(seen.map(({ status }) => status)).toEqual(seen.map(() => 200));
  expect(seen[0]?.body.database_service.password).toBeNull();
  expect(seen[3]?.body.database_server.password).toBeNull();
  const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  expect(`${accepted}${JSON.stringify(input)}${seen.map(({ text }) => text)}`).not.toContain(password);
});

it("shows how to connect, without the password, and nothing of a database that does not exist yet", async () => {
  const { id, masterId, provisionedId } = await createDatabase(db, api.env, tenant());
  const { username } = await db.databaseServer.findUniqueOrThrow({ where: { id: masterId } });
  const host = `${provisionedId}.aaaaaaaaaa.us-east-1.rds.amazonaws.com`;
  const { body } = await owner.get(`/database-services/${id}/connection`);
  expect(body.connection).toEqual({
    host,
    port: 3306,
    username,
    url: `mysql://${username}@${host}:3306`,
    tls_bundle: "https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem",
    replicas: [],
  });
  await db.databaseServer.update({ where: { id: masterId }, data: { endpoint: null } });
  const { connection } = (await owner.get(`/database-services/${id}/connection`)).body;
  expect(connection).toMatchObject({ host: null, port: null, url: null });
  for (const [region, domain] of [
    ["cn-northwest-1", "s3.cn-north-1.amazonaws.com.cn"],
    ["us-gov-east-1", "us-gov-west-1.rds.amazonaws.com"],
  ] as const) {
    await db.databaseService.update({ where: { id }, data: { region } });
    const { tls_bundle: bundle } = (await owner.get(`/database-services/${id}/connection`)).body.connection;
    expect(new URL(bundle).hostname.endsWith(`.${domain}`)).toBe(true);
  }
});

it("links to AWS's console in the server's region", async () => {
  const { id, masterId, provisionedId } = await createDatabase(db, api.env, tenant());
  const page = "https://us-east-1.console.aws.amazon.com";
  const ofLogs = `${page}/rds/home?region=us-east-1#database:id=${provisionedId};is-cluster=false;tab=logs-and-events`;
  for (const query of ["", `?database_server=${masterId}`]) {
    expect((await owner.get(`/database-services/${id}/logs${query}`)).body).toEqual({ logs_url: ofLogs });
  }
  expect((await owner.get(`/database-services/${id}/events`)).body).toEqual({ events_url: ofLogs });
  const { metrics_url: metrics } = (await owner.get(`/database-services/${id}/metrics`)).body;
  expect(metrics).toMatch(new RegExp(`^${page}/cloudwatch/home\\?region=us-east-1#metricsV2:.*${provisionedId}\\*22$`));
  const other = await createDatabase(db, api.env, tenant());
  expect((await owner.get(`/database-services/${id}/logs?database_server=${other.masterId}`)).status).toBe(404);
  await db.databaseServer.update({ where: { id: masterId }, data: { provisionedId: null } });
  expect((await owner.get(`/database-services/${id}/logs`)).status).toBe(409);
});

it("lists the requests on a database and their messages", async () => {
  const { id, masterId, requestId } = await createDatabase(db, api.env, tenant());
  const entry = { id: randomUUID(), requestId, stage: "create-master", message: "Created DB instance" };
  await db.requestMessage.create({ data: entry });
  for (const path of [`/database-services/${id}/messages`, `/database-servers/${masterId}/messages`]) {
    expect((await owner.get(path)).body.messages).toEqual([
      { ...entry, requestId: undefined, created_at: expect.any(String), type: null, resource: null },
    ]);
  }
  const { requests } = (await owner.get(`/database-services/${id}/requests`)).body;
  expect(requests.map((request: { id: string }) => request.id)).toEqual([requestId]);
});
