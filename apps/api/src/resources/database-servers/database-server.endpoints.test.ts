import { randomUUID } from "node:crypto";
import { createNetwork, OTHER_ZONE, ZONE } from "@gantry/test/support/api";
import { endRequest, expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { createDatabase, DATABASE_PASSWORD } from "@gantry/test/support/databases";
import { recordOffers } from "@gantry/test/support/offers";

const { api, db, owner, provider } = await startApiTest();

const database = (input = {}) => createDatabase(db, api.env, { accountId: owner.accountId, provider }, input);

const send = (replication_source: string, server: object = {}) =>
  owner.post("/database-servers", { replication_source, database_server: server });

it("accepts a replica with its master's attributes except for the given ones, and removes it once", async () => {
  const { id, masterId } = await database();
  const { body } = await send(masterId, { flavor: "db.r3.large" });
  expect(body.request.type).toBe("provision_database_server");
  const path = resourcePath(body);
  const { database_server: replica } = (await owner.get(path)).body;
  expect(replica).toMatchObject({
    ...{ flavor: "db.r3.large", location: ZONE, engine: "mysql", version: "5.7.17", storage: 20 },
    ...{ username: "gantry", password: DATABASE_PASSWORD, endpoint: null },
    replication_source: `http://gantry.test/database-servers/${masterId}`,
    database_service: `http://gantry.test/database-services/${id}`,
  });
  expect((await owner.get(`/database-services/${id}/servers`)).body.database_servers).toHaveLength(2);
  expect((await owner.get(`${path}/revisions`)).body).toEqual({ revisions: [] });
  expect((await owner.get(`${path}/messages`)).body).toEqual({ messages: [] });
  expect((await owner.delete(path)).body.request.type).toBe("deprovision_database_server");
  expect((await owner.delete(path)).status).toBe(409);
});

it("accepts the source of a replica next to its attributes, among them or in both, but never two sources", async () => {
  const [{ masterId }, { masterId: otherId }] = [await database(), await database()];
  const nested = { replication_source: masterId };
  for (const body of [
    { database_server: nested },
    { provider: provider.id, database_server: nested },
    { replication_source: `http://gantry.test/database-servers/${masterId}`, database_server: nested },
  ]) {
    const { status, body: answer } = await owner.post("/database-servers", body);
    expect([status, answer.errors]).toEqual([200, undefined]);
    const { database_server: replica } = (await owner.get(resourcePath(answer))).body;
    expect(replica.replication_source).toBe(`http://gantry.test/database-servers/${masterId}`);
  }
  const path = "database_server.replication_source";
  const two = await owner.post("/database-servers", { replication_source: otherId, database_server: nested });
  expect([two.status, two.body.details]).toEqual([
    422,
    [{ path, message: "names a different database server than replication_source" }],
  ]);
  const none = await owner.post("/database-servers", { database_server: {} });
  expect([none.status, none.body.missing]).toEqual([422, "replication_source"]);
});

it("refuses to delete a master, and names its database", async () => {
  const { id, masterId } = await database();
  const { status, body } = await owner.delete(`/database-servers/${masterId}`);
  expect([status, body.errors[0]]).toEqual([409, expect.stringContaining(`delete database service ${id}`)]);
});

it.each([
  ["an unknown flavor", { flavor: "m3.medium" }, /flavor: m3.medium is not a flavor for mysql/],
  ["a zone of another region", { location: OTHER_ZONE }, /has no zone eu-west-1a/],
])("refuses a replica with %s and writes nothing", async (_name, server, sentence) => {
  const { masterId } = await database();
  await expectRefusal(db, () => send(masterId, server), sentence);
});

it("refuses a replica in a zone without a subnet of its network", async () => {
  const { id: networkId } = await createNetwork(db, provider);
  const subnet = { id: randomUUID(), accountId: owner.accountId, networkId, cidr: "10.0.1.0/24" };
  await db.subnet.create({ data: { ...subnet, location: "us-east-1b", provisionedId: "subnet-b" } });
  const { masterId } = await database({ networkId });
  expect((await send(masterId)).body.errors[0]).toMatch(/the network has no subnet in us-east-1a/);
});

it("refuses a replica of a replica, of a pending server or a going database, and more replicas than RDS allows", async () => {
  const { id, masterId } = await database();
  const replicas = [];
  for (let i = 0; i < 15; i++) replicas.push(new URL((await send(masterId)).body.request.resource).pathname.slice(18));
  const next = await send(masterId);
  expect([next.status, next.body.errors[0]]).toEqual([409, expect.stringContaining("has 15 replicas")]);
  const replica = replicas[0] as string;
  expect((await send(replica)).status).toBe(409);
  await db.databaseServer.update({ where: { id: replica }, data: { provisionedId: "gantry-replica" } });
  expect((await send(replica)).body.errors[0]).toMatch(/is itself a replica/);
  await owner.delete(`/database-services/${id}`);
  expect((await owner.delete(`/database-servers/${replica}`)).status).toBe(409);
  expect((await send(randomUUID())).status).toBe(404);
  const going = await database();
  await owner.delete(`/database-services/${going.id}`);
  expect((await send(going.masterId)).body.errors[0]).toMatch(
    /has an unfinished request: deprovision_database_service/,
  );
});

it("never accepts a replica in a database that is being deprovisioned", async () => {
  for (let i = 0; i < 6; i++) {
    const { id, masterId } = await database();
    const [created, removed] = await Promise.all([send(masterId), owner.delete(`/database-services/${id}`)]);
    const { seq: madeAt = 0n } = (await db.request.findFirst({ where: { id: created.body.request?.id ?? id } })) ?? {};
    const { seq: removedAt } = await db.request.findUniqueOrThrow({ where: { id: removed.body.request.id } });
    expect([removed.status, madeAt < removedAt]).toEqual([200, true]);
  }
});

/** A maintenance window on Sunday. */
function windowOf(...times: [start: string, end: string]) {
  const [start, end] = times.map((time) => {
    const [hour, minute] = time.split(":");
    return { day: "sunday", hour, minute };
  });
  return { start, end };
}

describe("a change in place", () => {
  const modify = (id: string, { apply, ...server }: { apply?: string; [name: string]: unknown }, query = "") =>
    owner.post(`/database-servers/${id}/modify${query}`, { database_server: server, ...(apply && { apply }) });

  it("says in a dry run for how long the database is away, what it costs more, and changes nothing", async () => {
    const { masterId } = await database({ engine: "postgres", version: "9.6.3", flavor: "db.t2.micro" });
    const { status, body } = await modify(masterId, { flavor: "db.m4.large", storage: 100 }, "?dry_run=true");
    expect([status, body.plan.requests]).toEqual([200, ["modify_database_server"]]);
    expect(body.plan.changes).toEqual([
      expect.objectContaining({
        field: "flavor",
        from: "db.t2.micro",
        to: "db.m4.large",
        away_seconds: { least: 60, most: 900 },
      }),
      expect.objectContaining({
        field: "storage",
        from: 20,
        to: 100,
        away_seconds: null,
        undo: expect.stringContaining("never"),
      }),
    ]);
    expect(await db.request.count({ where: { type: "modify_database_server" } })).toBe(0);
  });

  it("gives a server both windows, at once also if the others wait", async () => {
    const { masterId } = await database();
    const backup = { start_time: { hour: "22", minute: "15" }, duration: 0.5 };
    const change = { backup_window: backup, preferred_maintenance_window: windowOf("03:45", "04:15") };
    const { body } = await modify(masterId, { ...change, apply: "window" }, "?dry_run=true");
    expect(body.plan.changes).toEqual([
      expect.objectContaining({ field: "backup_window", from: "03:00-04:00", to: "22:15-22:45" }),
      expect.objectContaining({
        field: "preferred_maintenance_window",
        from: "sun:04:30-sun:05:00",
        to: "sun:03:45-sun:04:15",
      }),
    ]);
    const { body: accepted } = await modify(masterId, change);
    const { input } = await db.request.findUniqueOrThrow({ where: { id: accepted.request.id } });
    expect(input).toEqual({ backupWindow: "22:15-22:45", maintenanceWindow: "sun:03:45-sun:04:15" });
  });

  it("gives gp3 of 400 GB or more other IOPS, together with its growth, and knows no price for them", async () => {
    const { masterId } = await database({ engine: "postgres", version: "9.6.3", flavor: "db.m4.large" });
    await db.databaseServer.update({ where: { id: masterId }, data: { storageType: "gp3" } });
    const refused = await modify(masterId, { iops: 20_000, storage: 399 });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      ["database_server.iops: are chosen only for gp3 with 400 GB or more"],
    ]);
    const { plan } = (await modify(masterId, { iops: 20_000, storage: 400 }, "?dry_run=true")).body;
    expect(plan.changes).toMatchObject([{ field: "storage" }, { field: "iops", from: null, to: 20_000 }]);
    expect(plan.estimate).toMatchObject({ is_complete: false, note: expect.stringContaining("with 20000 IOPS") });
    const { body } = await modify(masterId, { iops: 20_000, storage: 400 });
    const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
    expect(input).toEqual({ storageGb: 400, iops: 20_000 });
  });

  it("keeps what is not named", async () => {
    const { masterId } = await database();
    const { body } = await modify(masterId, { storage: 100, backup_retention_period: 7 });
    const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
    expect(input).toEqual({ storageGb: 100 });
  });

  it.each([
    ["less storage", { storage: 19 }, "database_server.storage: must be more than the 20 GB that it has; RDS never"],
    ["too little growth", { storage: 21 }, "database_server.storage: must be at least 22 GB, a tenth more than it has"],
    [
      "more storage than its type has",
      { storage: 65_536, storage_type: "standard" },
      "database_server.storage: must be",
    ],
    ["an unknown flavor", { flavor: "db.x9.large" }, "database_server.flavor: db.x9.large is not a flavor for mysql"],
    ["what it has already", { storage: 20, multi_az: false }, "database_server: names no change"],
    ["nothing", {}, "database_server: names no change"],
    [
      "maintenance during the backup",
      { preferred_maintenance_window: windowOf("03:45", "04:15") },
      "database_server.preferred_maintenance_window: overlaps the backup window 03:00-04:00",
    ],
    [
      "a backup during maintenance",
      { backup_window: { start_time: { hour: "04", minute: "00" }, duration: 1 } },
      "database_server.backup_window: overlaps the maintenance window sun:04:30-sun:05:00",
    ],
    [
      "too short maintenance",
      { preferred_maintenance_window: windowOf("10:00", "10:29") },
      "database_server.preferred_maintenance_window: must be at least 30 minutes",
    ],
  ])("refuses %s and writes nothing", async (_name, server, sentence) => {
    const { masterId } = await database();
    await expectRefusal(db, () => modify(masterId, server), new RegExp(`^${sentence}`));
  });

  it("refuses what a replica or a member of a cluster does not have of its own", async () => {
    const { masterId } = await database();
    const { body } = await send(masterId);
    const replica = resourcePath(body).split("/").at(-1) ?? "";
    await endRequest(db, body.request.id);
    await db.databaseServer.update({ where: { id: replica }, data: { provisionedId: "replica" } });
    const own = await modify(replica, { backup_retention_period: 3 });
    expect([own.status, own.body.errors[0]]).toEqual([
      422,
      expect.stringContaining(`change database server ${masterId}`),
    ]);
    const aurora = await database({ engine: "aurora", version: "5.6.10a", flavor: "db.r3.large" });
    const shared = await modify(aurora.masterId, { storage: 100 });
    expect([shared.status, shared.body.errors]).toEqual([
      422,
      ["database_server.storage: is not changed for aurora, whose cluster has it"],
    ]);
  });

  it("refuses a second change while one is under way, and a fifth of the storage in 24 hours", async () => {
    const { id, masterId } = await database();
    for (const storage of [30, 40, 50, 60]) {
      const { body } = await modify(masterId, { storage });
      const second = await modify(masterId, { multi_az: true });
      expect([second.status, second.body.blocking]).toEqual([409, [expect.stringContaining(body.request.id)]]);
      await endRequest(db, body.request.id);
      await db.databaseServer.update({ where: { id: masterId }, data: { storageGb: storage } });
    }
    const fifth = await modify(masterId, { storage: 200 });
    expect([fifth.status, fifth.body.errors]).toEqual([
      409,
      [expect.stringMatching(/^AWS changes a database's storage 4 times in 24 hours; .* can change at 20\d\d-/)],
    ]);
    expect((await modify(masterId, { multi_az: true })).status).toBe(200);
    expect((await owner.delete(`/database-services/${id}`)).status).toBe(200);
    expect((await modify(masterId, { backup_retention_period: 9 })).status).toBe(409);
  });

  it("waits for the maintenance window, except for what RDS never lets wait", async () => {
    const { masterId } = await database({ engine: "postgres", version: "9.6.3", flavor: "db.t2.micro" });
    const change = { flavor: "db.m4.large", backup_retention_period: 9, apply: "window" };
    const { body } = await modify(masterId, change, "?dry_run=true");
    expect(body.plan.changes).toEqual([
      expect.objectContaining({
        field: "flavor",
        effect: expect.stringMatching(/^Waits for the maintenance window\. Then: The/),
      }),
      expect.objectContaining({
        field: "backup_retention_period",
        effect: expect.stringMatching(/^RDS makes this .* at once/),
      }),
    ]);
    const { body: accepted } = await modify(masterId, change);
    const { input } = await db.request.findUniqueOrThrow({ where: { id: accepted.request.id } });
    expect(input).toEqual({ flavor: "db.m4.large", backupRetentionPeriod: 9, apply: "window" });
  });

  it("shows what waits in the record and in plans, which make it at once together", async () => {
    const { masterId } = await database({ engine: "postgres", version: "9.6.3", flavor: "db.t2.micro" });
    const pending = { flavor: "db.m4.large", storage: 40 };
    await db.databaseServer.update({ where: { id: masterId }, data: { pending } });
    expect((await owner.get(`/database-servers/${masterId}`)).body.database_server).toMatchObject({
      pending,
      storage: 20,
    });
    const planned = async (server: { apply?: string; [name: string]: unknown }) => {
      const { body } = await modify(masterId, server, "?dry_run=true");
      return body.plan.changes.map(({ field, from, to, effect }: Record<string, unknown>) => [field, from, to, effect]);
    };
    const text = expect.stringMatching;
    expect(await planned({ multi_az: true, apply: "window" })).toEqual([
      ["flavor", "db.t2.micro", "db.m4.large", text(/^Waits for the maintenance window already/)],
      ["storage", 20, 40, text(/^Waits for the maintenance window already/)],
      ["multi_az", false, true, text(/^Waits for the maintenance window\. Then/)],
    ]);
    expect(await planned({ flavor: "db.t2.micro" })).toEqual([
      ["flavor", "db.m4.large", "db.t2.micro", text(/^RDS gives up the change/)],
      ["storage", 20, 40, text(/^It waits for the maintenance window, and RDS makes it with this change/)],
    ]);
    expect(await planned({ storage: 50 })).toContainEqual(["storage", 20, 50, text(/replaces the change to 40/)]);
    const { body } = await modify(masterId, { flavor: "db.t2.micro" });
    const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
    expect(input).toEqual({ flavor: "db.t2.micro", storageGb: 40 });
  });

  it("refuses to take back in the maintenance window what waits for it, and what waits already", async () => {
    const { masterId } = await database();
    await db.databaseServer.update({ where: { id: masterId }, data: { pending: { storage: 40 } } });
    const window = (storage: number) => modify(masterId, { storage, apply: "window" });
    await expectRefusal(db, () => window(20), /^apply: must be now to take back/);
    await expectRefusal(db, () => window(40), /^database_server: names no change/);
    expect((await window(50)).status).toBe(200);
  });

  it("upgrades to the versions that RDS lists, and names them", async () => {
    const old = { engine: "postgres", version: "9.4.12", flavor: "db.t2.micro" };
    const { masterId } = await database(old);
    const { body } = await modify(masterId, { version: "9.5" }, "?dry_run=true");
    expect(body.plan.changes).toMatchObject([{ field: "version", from: "9.4.12", to: "9.5.7" }]);
    for (const version of ["9.4.7", "8.4.9", "10"])
      await expectRefusal(
        db,
        () => modify(masterId, { version }),
        new RegExp(
          `^database_server\\.version: RDS does not upgrade postgres 9.4.12 to ${version}; use one of 9.5.2, .*9.6.3$`,
        ),
      );
  });

  it("changes the CA to one of the version's, and says whether the database restarts", async () => {
    const { masterId } = await database();
    const wanted = { certificate_authority: "rds-ca-ecc384-g1" };
    const planned = async () => (await modify(masterId, wanted, "?dry_run=true")).body.plan.changes;
    expect(await planned()).toEqual([
      expect.objectContaining({ field: "certificate_authority", from: null, to: wanted.certificate_authority }),
    ]);
    expect(await planned()).toMatchObject([{ away_seconds: { least: 10, most: 120 } }]);
    const certificates = { certificateAuthorities: ["rds-ca-ecc384-g1"], changesCertificateRunning: true };
    const versions = [{ version: "5.7.17", major: "5.7", isDefault: true, ...certificates }];
    const classes = { "db.m4.large": { zones: [ZONE], storageTypes: ["gp2", "gp3"], isEncryptable: true } };
    await recordOffers(db, provider, { databases: { mysql: { versions, classes } } });
    expect(await planned()).toMatchObject([
      { away_seconds: null, effect: expect.stringMatching(/^The database stays available, with a certificate/) },
    ]);
    await expectRefusal(
      db,
      () => modify(masterId, { certificate_authority: "rds-ca-2019" }),
      /^database_server\.certificate_authority: is not a CA of its version; use one of rds-ca-ecc384-g1$/,
    );
    const { body } = await modify(masterId, wanted);
    const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
    expect(input).toEqual({ certificateAuthority: "rds-ca-ecc384-g1" });
    await db.offerList.deleteMany({ where: { accountId: owner.accountId } });
  });

  it("upgrades replicas before their master, and no replica of PostgreSQL to another major version", async () => {
    for (const [old, minor, major, refused] of [
      [{ engine: "mysql", version: "5.6.34", flavor: "db.t2.micro" }, "5.6.35", "5.7.17", /upgrade these first/],
      [{ engine: "postgres", version: "9.5.4", flavor: "db.t2.micro" }, "9.5.7", "9.6.3", /remove them first/],
    ] as const) {
      const { masterId } = await database(old);
      const { body } = await send(masterId);
      const replica = resourcePath(body).split("/").at(-1) ?? "";
      await endRequest(db, body.request.id);
      await db.databaseServer.update({ where: { id: replica }, data: { provisionedId: "replica" } });
      const master = (version: string) => modify(masterId, { version });
      const refusal = await master(major);
      expect([refusal.status, refusal.body]).toMatchObject([
        409,
        { errors: [expect.stringMatching(refused)], blocking: [expect.stringContaining(replica)] },
      ]);
      expect((await master(minor)).body.errors).toEqual([expect.stringContaining(`upgrade these first: ${replica}`)]);
      const ofReplica = await modify(replica, { version: major }, "?dry_run=true");
      expect(ofReplica.status).toBe(old.engine === "mysql" ? 200 : 422);
      await db.databaseServer.update({ where: { id: replica }, data: { version: minor } });
      expect((await master(minor)).status).toBe(200);
    }
  });

  it("retries a change that RDS had accepted before the Request failed", async () => {
    const { masterId } = await database();
    const { body } = await modify(masterId, { storage: 40, multi_az: true });
    await db.databaseServer.update({ where: { id: masterId }, data: { storageGb: 40 } });
    await endRequest(db, body.request.id, false);
    const retried = await owner.post(`/requests/${body.request.id}/retry`);
    expect([retried.status, retried.body.errors]).toEqual([200, undefined]);
  });
});

describe("a stop, a start and a reboot", () => {
  const act = (id: string, action: string, body?: object, query = "") =>
    owner.post(`/database-servers/${id}/${action}${query}`, body);
  const failover = { database_server: { failover: true } };

  it("are Requests of one type, which name their action", async () => {
    const { masterId } = await database({ multiAz: true });
    for (const [action, body, input] of [
      ["stop", undefined, { action: "stop" }],
      ["start", undefined, { action: "start" }],
      ["reboot", undefined, { action: "reboot" }],
      ["reboot", failover, { action: "reboot", failover: true }],
    ] as const) {
      const { body: answer } = await act(masterId, action, body);
      expect(answer.request).toMatchObject({ type: "update_database_server", action });
      expect((await db.request.findUniqueOrThrow({ where: { id: answer.request.id } })).input).toEqual(input);
      await endRequest(db, answer.request.id);
    }
  });

  it("say in a dry run for how long the database is away, and warn of what a stopped one does not do", async () => {
    const { id, masterId } = await database({ multiAz: true });
    const pending = { flavor: "db.m4.xlarge", storage: 40 };
    await db.databaseServer.update({ where: { id: masterId }, data: { state: "stopped", pending } });
    expect((await owner.get(`/database-servers/${masterId}`)).body.database_server.state).toBe("stopped");
    const planned = async (action: string, body?: object) =>
      (await act(masterId, action, body, "?dry_run=true")).body.plan;
    expect((await planned("stop")).changes).toEqual([
      expect.objectContaining({ field: "state", to: "stopped", effect: expect.stringContaining("after seven days") }),
    ]);
    expect((await planned("start")).changes).toMatchObject([{ field: "state", from: "stopped", to: "available" }]);
    const reboot = await planned("reboot", failover);
    expect(reboot.changes).toMatchObject([
      { field: "state", away_seconds: { least: 60, most: 120 } },
      { field: "flavor", to: "db.m4.xlarge" },
    ]);
    const warnings = ["The database server is stopped; start it first"];
    const rotation = await owner.post(`/database-services/${id}/rotate-credentials?dry_run=true`);
    const snapshot = await owner.post(`/database-servers/${masterId}/snapshots?dry_run=true`, {
      database_server_snapshot: {},
    });
    const change = await owner.post(`/database-servers/${masterId}/modify?dry_run=true`, {
      database_server: { storage: 100 },
    });
    for (const plan of [reboot, rotation.body.plan, snapshot.body.plan, change.body.plan])
      expect(plan.warnings).toEqual(warnings);
  });

  it("are refused if RDS would refuse them", async () => {
    const { masterId } = await database();
    await expectRefusal(db, () => act(masterId, "reboot", failover), /^database_server\.failover: must be false/);
    const { body } = await send(masterId);
    const replica = resourcePath(body).split("/").at(-1) ?? "";
    await endRequest(db, body.request.id);
    await db.databaseServer.update({ where: { id: replica }, data: { provisionedId: "replica" } });
    const { masterId: member } = await database({ engine: "aurora", version: "5.6.10a", flavor: "db.r3.large" });
    for (const action of ["stop", "start"]) {
      for (const [id, sentence] of [
        [masterId, "it has replicas; remove them first"],
        [replica, "it is a replica"],
        [member, "it is a member of an Aurora cluster"],
      ] as const) {
        const { status, body: refused } = await act(id, action);
        expect([status, refused.errors[0]]).toEqual([409, expect.stringContaining(sentence)]);
      }
    }
    for (const id of [masterId, replica, member]) expect((await act(id, "reboot")).status).toBe(200);
  });

  it("and every other change of the database wait for each other", async () => {
    const { id, masterId } = await database();
    const others = {
      modify: () => owner.post(`/database-servers/${masterId}/modify`, { database_server: { storage: 100 } }),
      rotation: () => owner.post(`/database-services/${id}/rotate-credentials`),
      replica: () => send(masterId),
      stop: () => act(masterId, "stop"),
    };
    const { body } = await act(masterId, "reboot");
    for (const other of Object.values(others)) {
      const { status, body: refused } = await other();
      expect([status, refused.blocking]).toEqual([409, [expect.stringContaining(body.request.id)]]);
    }
    await endRequest(db, body.request.id);
    for (const other of [others.modify, others.rotation]) {
      const { body: first } = await other();
      const { status, body: refused } = await act(masterId, "stop");
      expect([status, refused.blocking]).toEqual([409, [expect.stringContaining(first.request.id)]]);
      await endRequest(db, first.request.id);
    }
    expect((await owner.delete(`/database-services/${id}`)).status).toBe(200);
    expect((await act(masterId, "start")).status).toBe(409);
  });
});
