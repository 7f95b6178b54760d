import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { CreateVolumeCommand } from "@aws-sdk/client-ec2";
import { awsOpener } from "@gantry/worker";
import { requestGroup } from "@gantry/worker/scenarios";
import pg from "pg";
import { aws, createTestAccount, REGION, type TestAccount, ZONES } from "../../support/account.js";
import { testAwsEngine } from "../../support/aws-engine.js";
import { runAllToEnd } from "../../support/engine.js";
import { cloneDatabase, type TestDatabase, testEnv } from "../../support/stack.js";
import { checkInvariants } from "./invariants.js";

let database: TestDatabase;
let customer: TestAccount;

beforeAll(async () => {
  database = await cloneDatabase();
  const client = new pg.Client(database.ownerUrl);
  await client.connect();
  await client.query(readFileSync(new URL("audit-triggers.sql", import.meta.url), "utf8")).finally(() => client.end());
  customer = await createTestAccount(database.db, testEnv(database));
});
afterAll(() => database.drop());

async function leaked(): Promise<string[]> {
  const evidence = {
    db: database.db,
    aws,
    accounts: [customer.awsAccount],
    accepted: [],
    outages: [],
    followed: [],
    webhooks: [],
  };
  return (await checkInvariants(evidence)).violations.leaked.sort();
}

it("attributes the instances of a scaling group and their disks to the group, and reports every other unknown object", async () => {
  const { db } = database;
  const { server } = await requestGroup({ db, customer }, { minimumSize: 2, maximumSize: 3 });
  // The scenario creates the app master without the ledger.
  const before = await leaked();
  expect(before).toEqual([
    expect.stringContaining(`instance ${server.provisionedId}`),
    expect.stringMatching(/^volume/),
  ]);
  await runAllToEnd(testAwsEngine(database, testEnv(database)), customer.accountId);
  expect((await aws.inventory(customer.awsAccount)).volume).toHaveLength(2);
  expect(await leaked()).toEqual(before.slice(1));

  const { ec2 } = awsOpener(10)(REGION, customer.awsAccount);
  const { VolumeId } = await ec2.send(new CreateVolumeCommand({ AvailabilityZone: ZONES[0], Size: 1 }));
  expect(await leaked()).toContainEqual(expect.stringContaining(`volume ${VolumeId}`));
});

it("reports a user's Request that is missing or duplicated in the audit", async () => {
  const { db } = database;
  const { accountId } = customer;
  const { id: userId } = await db.user.create({
    data: { id: randomUUID(), name: "A", email: `${randomUUID()}@example.com`, passwordHash: "" },
  });
  const request = (id: string) => ({ id, accountId, userId, type: "provision_network", input: {}, traceId: "t" });
  const [never, once, twice] = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of [never, once, twice]) await db.request.create({ data: { ...request(id), deadlineAt: new Date() } });
  for (const requestId of [once, twice, twice])
    await db.pendingAuditRecord.create({
      data: {
        id: randomUUID(),
        accountId,
        requestId,
        action: "POST /networks",
        status: 200,
        traceId: "t",
        changes: {},
      },
    });
  const evidence = { db, aws, accounts: [customer.awsAccount], accepted: [], outages: [], followed: [], webhooks: [] };
  const { unaudited } = (await checkInvariants(evidence)).violations;
  expect(unaudited.sort()).toEqual(
    [`provision_network ${never} has 0 records`, `provision_network ${twice} has 2 records`].sort(),
  );
});

it("reports missing events, false events, and events that a reader missed", async () => {
  const { db } = database;
  const { accountId } = customer;
  const violations = async (ids: string[]) => {
    const followed = [{ accountId, ids }];
    return (
      await checkInvariants({
        db,
        aws,
        accounts: [customer.awsAccount],
        accepted: [],
        outages: [],
        followed,
        webhooks: [],
      })
    ).violations.unreported;
  };
  const idsOf = async () =>
    (await db.event.findMany({ where: { accountId }, orderBy: [{ position: "asc" }, { seq: "asc" }] })).map(
      ({ position, seq }) => `${position}-${seq}`,
    );
  await db.request.updateMany({ where: { type: "provision_network" }, data: { startedAt: new Date() } });
  expect(await violations(await idsOf())).toEqual([]);
  expect(await violations((await idsOf()).slice(1))).toEqual([
    expect.stringMatching(/^a reader read \d+ of \d+ events; the 1\. was/),
  ]);

  const provider = await db.provider.findFirstOrThrow({ where: { accountId } });
  for (const deletedAt of [new Date(), null])
    await db.provider.update({ where: { id: provider.id }, data: { deletedAt } });
  expect(await violations(await idsOf())).toEqual([]);
  await db.event.deleteMany({ where: { type: "resource.restored" } });
  expect(await violations(await idsOf())).toEqual([
    `provider ${provider.id}: created 1×, restored 0×, deleted 1× in the events`,
  ]);
  await db.event.deleteMany({ where: { type: "resource.deleted", subjectId: String(provider.id) } });

  const { requestId } = await db.event.findFirstOrThrow({ where: { type: "request.started" } });
  await db.event.deleteMany({ where: { type: "request.started", requestId } });
  const created = { accountId, type: "resource.created", subjectType: "server" };
  const { subjectId } = await db.event.findFirstOrThrow({ where: created });
  await db.event.deleteMany({ where: { ...created, subjectId } });
  const found = await violations(await idsOf());
  expect(found).toEqual([
    expect.stringMatching(new RegExp(`${requestId}: accepted, started, .*; recorded: ((?!started).)+$`)),
    expect.stringContaining(`server ${subjectId}: created 0×`),
  ]);
});

it("reports the events and the ping that a webhook's receiver never got", async () => {
  const { db } = database;
  const { accountId } = customer;
  const types = ["resource.created"];
  const events = await db.event.findMany({
    where: { accountId, type: { in: types } },
    orderBy: [{ position: "asc" }, { seq: "asc" }],
  });
  const ids = new Set(events.map(({ position, seq }) => `${position}-${seq}`));
  const violations = async (position: bigint, ping?: string) => {
    const webhooks = [{ accountId, types, position, ids, ping, unverified: [] }];
    const evidence = { db, aws, accounts: [customer.awsAccount], accepted: [], outages: [], followed: [], webhooks };
    return (await checkInvariants(evidence)).violations.undelivered;
  };
  expect(await violations(0n)).toEqual([]);
  const last = events.at(-1);
  ids.delete(`${last?.position}-${last?.seq}`);
  expect(await violations(0n)).toEqual([`resource.created of ${last?.subjectType} ${last?.subjectId} never arrived`]);
  expect(await violations((last?.position ?? 0n) + 1n, "a-ping")).toEqual(["the ping a-ping never arrived"]);
});

it("distinguishes takeovers from idle workers, during changes, after another kill, and from live workers", async () => {
  const { db } = database;
  const start = Date.parse("2026-01-01T00:00:00Z");
  const after = (seconds: number) => new Date(start + seconds * 1000);
  const takeOver = async (holder: string, since: number, leaseUntil: number, at: number) => {
    const request = randomUUID();
    await db.$executeRaw`
      INSERT INTO audit.claims (request_id, holder, taken_over, lease_until, at) VALUES
        (${request}::uuid, ${holder}, false, NULL, ${after(since)}),
        (${request}::uuid, 'worker-3.1', true, ${after(leaseUntil)}, ${after(at)})`;
  };
  await takeOver("worker-1.1", 0, 13, 14);
  await takeOver("worker-1.1", 0, 21, 22);
  await takeOver("worker-2.1", 30, 46, 49);
  await takeOver("worker-2.2", 30, 46, 49);
  await takeOver("worker-2.2", 60, 66, 67);
  const outages = [
    { name: "worker-1.1", at: after(10) },
    { name: "worker-2.1", at: after(40) },
    { name: "postgres.1", at: after(41) },
  ];
  const { takeovers, leasesLost } = (
    await checkInvariants({
      db,
      aws,
      accounts: [customer.awsAccount],
      accepted: [],
      outages,
      followed: [],
      webhooks: [],
    })
  ).figures;
  expect(takeovers).toEqual({ idle: [4], changing: [12], interrupted: [9] });
  expect(leasesLost).toEqual({
    whilePostgresKilled: 1,
    otherwise: [expect.stringContaining("worker-2.2 (never killed or frozen) held")],
  });
});
