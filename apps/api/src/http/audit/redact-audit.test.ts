import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { connectDb, type Db, findTampering, INSTALLATION_CHAIN, linkAuditRecords, REDACTION } from "@gantry/db";
import { createCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { testMasterKey } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { endpoints } from "../../resources/index.js";
import { redactAudit } from "./redact-audit.js";

const SECRET = "password-canary-77b2";
const ROUTE = "POST /users";

const root = fileURLToPath(new URL("../../../../..", import.meta.url));
const { api, db, owner } = await startApiTest();

/** The command, as the owner of the tables. */
function start(...words: string[]) {
  const { DATABASE_URL } = api.env;
  const env = { DATABASE_URL, DATABASE_OWNER_URL: api.database.ownerUrl, MASTER_KEY: testMasterKey };
  const program = ["--conditions=gantry-source", "--import", "tsx", "apps/api/src/redact-audit.ts", ...words];
  return spawn(process.execPath, program, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
}

/** The number of values that were hidden, by action and parameter. */
async function redact(options: { record?: string; reason?: string } = {}, as: Db = db) {
  const report = () => {};
  const { found } = await redactAudit(as, endpoints, { apply: true, reason: "a test", report, ...options });
  return Object.fromEntries(found);
}

/** Records as an earlier version kept them, with the secret in clear. */
async function keep(count: number, changes: object, { action = ROUTE, accountId = null as string | null } = {}) {
  await db.$executeRaw`
    INSERT INTO pending_audit_records (id, account_id, trace_id, action, changes, status)
    SELECT gen_random_uuid(), ${accountId}::uuid, 'trace', ${action}, ${JSON.stringify(changes)}::json, 201
    FROM generate_series(1, ${count})`;
  await linkAuditRecords(db);
}

const user = { name: "Ada", email: "ada@example.com", password: SECRET };

async function tamperedIn(chain: string) {
  await linkAuditRecords(db);
  const found = [];
  for await (const each of findTampering(db, chain)) found.push(each);
  return found;
}

/** The number of records that hold the secret. */
async function kept(): Promise<number> {
  const [row] = await db.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) FROM audit_records WHERE changes::text LIKE ${`%${SECRET}%`}`;
  return Number(row?.count);
}

it("shows what it would hide and changes nothing, then hides it in each chain, which stays verifiable", async () => {
  await keep(3, { user });
  const credentials = { access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: SECRET, aws_other: SECRET };
  const action = "POST /accounts/:account/providers";
  await keep(2, { provider: { type: "aws", credentials } }, { action, accountId: owner.accountId });
  await keep(1, { state: "wait" }, { action: "clean queue" });

  const seen = start();
  const out = await text(seen.stdout);
  expect([seen.exitCode ?? (await once(seen, "exit"))[0], await kept()]).toEqual([1, 5]);
  expect(out).toContain(`${ROUTE}  user.password: 3\n`);
  expect(out).toContain(`${action}  provider.credentials.aws_other: 2\n`);
  expect(out).toContain("7 values would be hidden. Nothing was changed");

  expect(await redact({ reason: "ticket 7" })).toEqual({
    [`${ROUTE}  user.password`]: 3,
    [`${action}  provider.credentials.secret_access_key`]: 2,
    [`${action}  provider.credentials.aws_other`]: 2,
  });
  expect(await kept()).toBe(0);
  expect(await tamperedIn(INSTALLATION_CHAIN)).toEqual([]);
  expect(await tamperedIn(owner.accountId)).toEqual([]);
  expect(await redact()).toEqual({});

  const records = await owner.get(`/accounts/${owner.accountId}/audit?per_page=100`);
  const shown = records.body.audit_records as { action: string; subject: string; changes: object; reason: string }[];
  const [redacted] = shown.filter((record) => record.action === action);
  expect(redacted?.changes).toEqual({
    provider: {
      type: "aws",
      credentials: { access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: "…", aws_other: "…" },
    },
  });
  expect(shown.filter((record) => record.action === REDACTION).map(({ reason }) => reason)).toEqual([
    "ticket 7",
    "ticket 7",
  ]);
});

it("does not hide a later change of the redacted record", async () => {
  const { id } = await db.auditRecord.findFirstOrThrow({ where: { action: ROUTE } });
  const change = async (address: string | null) => {
    await db.$executeRaw`ALTER TABLE audit_records DISABLE TRIGGER append_only`;
    await db.$executeRaw`UPDATE audit_records SET address = ${address} WHERE id = ${id}::uuid`;
    await db.$executeRaw`ALTER TABLE audit_records ENABLE TRIGGER append_only`;
  };
  await change("192.0.2.1");
  expect(await tamperedIn(INSTALLATION_CHAIN)).toMatchObject([{ id, found: "changed" }]);
  await change(null);
  expect(await tamperedIn(INSTALLATION_CHAIN)).toEqual([]);
});

it("hides the whole input of one record, and refuses the id of none", async () => {
  await keep(2, { keypair: { name: SECRET } }, { action: "POST /keypairs", accountId: owner.accountId });
  const { id } = await db.auditRecord.findFirstOrThrow({ where: { action: "POST /keypairs" } });
  expect(await redact({ record: id })).toEqual({ "POST /keypairs  keypair": 1 });
  expect(await db.auditRecord.findUniqueOrThrow({ where: { id } })).toMatchObject({ changes: { keypair: "…" } });
  expect([await kept(), await tamperedIn(owner.accountId)]).toEqual([1, []]);
  await expect(redact({ record: owner.accountId })).rejects.toThrow(`The audit has no record ${owner.accountId}.`);
});

it("refuses a user of the database that does not own the tables", async () => {
  await keep(1, { user });
  const app = connectDb(api.env.DATABASE_URL, 1);
  try {
    await expect(redact({}, app)).rejects.toThrow("Only the owner of the tables can redact");
  } finally {
    await app.$disconnect();
  }
});

it("loses no record that is added meanwhile, and goes on after it was killed", async () => {
  await keep(500, { user });
  const before = await db.auditRecord.count();
  const caller = await createCaller(api);
  let isOver = false;
  let added = 0;
  const adding = (async () => {
    for (; !isOver; added++) {
      await caller.put(`/accounts/${caller.accountId}`, { account: { emergency_contact: `${added}` } });
      await linkAuditRecords(db);
    }
  })();
  const killed = start("--apply");
  const all = await kept();
  await until(async () => killed.exitCode !== null || (await kept()) < all);
  killed.kill("SIGKILL");
  await once(killed, "exit");
  expect(await kept()).toBeGreaterThan(0);
  const addedBefore = added;
  expect(await redact()).toEqual({ [`${ROUTE}  user.password`]: expect.any(Number) });
  await until(async () => added > addedBefore);
  isOver = true;
  await adding;

  expect(await tamperedIn(INSTALLATION_CHAIN)).toEqual([]);
  expect(await tamperedIn(caller.accountId)).toEqual([]);
  // The second keypair of the test before.
  expect(await kept()).toBe(1);
  const redactions = await db.auditRecord.count({ where: { action: REDACTION, chain: INSTALLATION_CHAIN } });
  expect(redactions).toBe(3 + 1 + 500);
  expect(await db.auditRecord.count({ where: { action: { not: REDACTION } } })).toBeGreaterThanOrEqual(
    before - 6 + added,
  );
  expect(await db.auditRecord.count({ where: { chain: caller.accountId } })).toBe(added);
});
