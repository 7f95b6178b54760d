import { createProvider, REGION, ZONE } from "@gantry/test/support/api";
import { endRequest, expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { recordOffers } from "@gantry/test/support/offers";

const { db, owner, provider } = await startApiTest();
await recordOffers(db, provider);

const shown = async (path: string, id = provider.id) =>
  (await owner.get(`/providers/${id}/database-server${path}`)).body;
const send = (server: object) =>
  owner.post("/database-services", {
    provider: provider.id,
    database_server: { version: "16", flavor: "db.t4g.micro", location: ZONE, ...server },
  });
const created = async (server: object) => {
  const { body } = await send(server);
  expect(body.errors).toBeUndefined();
  const path = resourcePath(body);
  const { database_service } = (await owner.get(path)).body;
  const { database_servers } = (await owner.get(`${path}/servers`)).body;
  return { service: database_service, server: database_servers[0] };
};

it("shows the engines, versions and flavors that AWS offers, with the time of reading", async () => {
  const { database_server } = await shown(`?location=${REGION}`);
  expect(database_server.engine_versions).toEqual({
    postgres: ["15.19", "16.14", "16.15"],
    mysql: ["8.4.9"],
    "aurora-mysql": ["8.0.mysql_aurora.3.13.0"],
    aurora: ["8.0.mysql_aurora.3.13.0"],
  });
  expect(database_server.flavors[0]).toEqual({
    ...{ id: "db_m7g_large", api_name: "db.m7g.large", name: "db_m7g_large", description: "For postgres" },
    ...{ engines: ["postgres"], zones: [`${REGION}b`] },
  });
  expect(database_server.read_at).toMatch(/^20/);
  expect((await shown("/versions")).versions).toEqual(database_server.engine_versions);
  expect((await shown("/flavors")).flavors).toEqual(database_server.flavors);
});

it("shows what the specification lists until AWS has been read", async () => {
  const { id } = await createProvider(db, owner.accountId);
  const { database_server } = await shown("", id);
  expect(database_server.engine_versions.postgres).toContain("9.6.3");
  expect(database_server.engine_versions.aurora).toEqual(["5.6.10a"]);
  expect([database_server.read_at, database_server.flavors.length]).toEqual([null, 9]);
});

it("resolves a major version to its default version, and finds the engine", async () => {
  expect(await created({ version: "16" })).toMatchObject({
    service: { engine: "postgres", version: "16.15" },
    server: { storage_type: "gp3", storage_encrypted: true, version: "16.15" },
  });
  expect((await created({ version: "16.14" })).service.version).toBe("16.14");
  expect((await created({ version: "8.4" })).service).toMatchObject({ engine: "mysql", version: "8.4.9" });
  const aurora = await created({ engine: "aurora", version: "8.0", flavor: "db.t4g.medium" });
  expect(aurora).toMatchObject({
    service: { engine: "aurora", version: "8.0.mysql_aurora.3.13.0" },
    server: { storage_type: "aurora", storage_encrypted: true },
  });
});

it.each([
  [
    "an engine",
    { engine: "oracle" },
    "database_server.engine: oracle is not an engine; use one of mysql, postgres, aurora-mysql, aurora",
  ],
  [
    "a major version",
    { engine: "postgres", version: "9" },
    "database_server.version: 9 is not a version of postgres; use one of 15.19, 16.14, 16.15",
  ],
  ["a minor version", { version: "16.99" }, "database_server.version: 16.99 is not a version; use one of 16.14, 16.15"],
  [
    "a flavor",
    { flavor: "db.m3.medium" },
    "database_server.flavor: db.m3.medium is not a flavor for postgres; use one of db.t4g.micro",
  ],
  [
    "a flavor in a zone",
    { flavor: "db.m7g.large" },
    `database_server.location: AWS offers db.m7g.large in ${REGION}b, but not in ${ZONE}`,
  ],
  [
    "a storage type",
    { modifiers: { storage_type: "standard" } },
    "database_server.modifiers.storage_type: db.t4g.micro does not support storage of type standard; use one of gp3, gp2",
  ],
])("refuses %s that the region lacks, and lists the alternatives", async (_what, server, sentence) => {
  await expectRefusal(db, () => send(server), sentence);
});

it("leaves the choice of the zone to AWS with multi_az", async () => {
  expect((await send({ flavor: "db.m7g.large", modifiers: { multi_az: true } })).status).toBe(200);
});

it("encrypts every database, and refuses unencrypted replicas, if the account requires it", async () => {
  const plain = await created({ storage_encrypted: false });
  const setting = (encryption: string) => owner.put(`/accounts/${owner.accountId}`, { account: { encryption } });
  await db.databaseServer.update({ where: { id: plain.server.id }, data: { provisionedId: "plain" } });
  const { id: provisioning } = await db.request.findFirstOrThrow({ where: { resourceId: plain.service.id } });
  await endRequest(db, provisioning);
  expect((await setting("required")).status).toBe(200);
  await expectRefusal(
    db,
    () => send({ storage_encrypted: false }),
    "database_server.storage_encrypted: cannot be false, because the account requires encryption",
  );
  await expectRefusal(
    db,
    () => owner.post("/database-servers", { replication_source: plain.server.id }),
    "replication_source: is not encrypted, but the account requires encryption",
  );
  expect((await created({})).server.storage_encrypted).toBe(true);
  await setting("optional");
});

it.each([
  ["gp2", [19, 65_537], [20, 65_536]],
  ["gp3", [19, 65_537], [20, 65_536]],
  ["standard", [4, 3073, 4000], [5, 3072]],
])("accepts as much storage of type %s as RDS does, also in a dry run", async (type, refused, accepted) => {
  const { id } = await createProvider(db, owner.accountId);
  const sendStorage = (storage: number, query = "") =>
    owner.post(`/database-services${query}`, {
      provider: id,
      database_server: {
        ...{ engine: "postgres", version: "9.6.3", flavor: "db.m4.large", location: ZONE },
        ...{ storage, modifiers: { storage_type: type } },
      },
    });
  for (const query of ["", "?dry_run=true"]) {
    for (const size of refused) {
      const { status, body } = await sendStorage(size, query);
      expect([size, status, body.details?.[0]?.path]).toEqual([size, 422, "database_server.storage"]);
    }
    for (const size of accepted) expect([size, (await sendStorage(size, query)).status]).toEqual([size, 200]);
  }
});

it("lists in an error only what it accepts", async () => {
  const listed = async (server: object) => {
    const { body } = await send(server);
    const [, path, names] = /^database_server\.([\w.]+): .*; use one of (.*)$/.exec(body.errors[0]) ?? [];
    return { path: path ?? "", names: names?.split(", ") ?? [] };
  };
  const wrong = [
    { flavor: "db.none.large" },
    { modifiers: { storage_type: "standard" } },
    { version: "16.99" },
    { location: `${REGION}z` },
  ];
  for (const server of wrong) {
    const { path, names } = await listed(server);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const named = path === "modifiers.storage_type" ? { modifiers: { storage_type: name } } : { [path]: name };
      expect([path, name, (await send(named)).status]).toEqual([path, name, 200]);
    }
  }
});
