import { auditHash, type Db, findTampering, INSTALLATION_CHAIN, linkAuditRecords } from "@gantry/db";
import { createCaller, REGION, type TestCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import supertest from "supertest";

const password = "correct horse battery";
const { api, db, owner, provider } = await startApiTest({ password });

const network = { provider: provider.id, network: { cidr: "10.0.0.0/16", location: REGION } };

async function auditOf({ accountId, get }: TestCaller, query = "") {
  const { body } = await get(`/accounts/${accountId}/audit?per_page=100${query}`);
  return body.audit_records as Record<string, unknown>[];
}

async function recordsOf(action: string) {
  await linkAuditRecords(db);
  return db.auditRecord.findMany({ where: { action }, orderBy: { createdAt: "asc" } });
}

describe("an accepted act leaves exactly one record", () => {
  it("of a Request, with who, from where, what and the Request", async () => {
    const { body, headers } = await owner.post("/networks", network);
    const records = (await auditOf(owner)).filter(({ action }) => action === "POST /networks");
    expect(records).toHaveLength(1);
    const token = await db.token.findFirstOrThrow({ where: { userId: owner.userId } });
    expect(records[0]).toMatchObject({
      account: expect.stringContaining(owner.accountId),
      user: expect.stringContaining(owner.userId),
      token: token.id,
      ip_address: expect.stringMatching(/127\.0\.0\.1$/),
      trace_id: headers["x-trace-id"],
      subject: expect.stringMatching(/^network\//),
      request: expect.stringContaining(body.request.id),
      changes: network,
      status: 200,
      reason: null,
    });
  });

  it("of a change without a Request", async () => {
    await owner.put(`/accounts/${owner.accountId}`, { account: { emergency_contact: "me" } });
    const records = await recordsOf("PUT /accounts/:account_id");
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      accountId: owner.accountId,
      subject: `account/${owner.accountId}`,
      changes: { account: { emergency_contact: "me" } },
    });
  });

  it("and none if it is repeated with its key, only planned, or refused for its input", async () => {
    const before = (await recordsOf("POST /networks")).length;
    const send = () => owner.post("/networks", network).set("Idempotency-Key", "audit-1");
    await send();
    expect((await send()).status).toBe(200);
    await owner.post("/networks?dry_run=true", network);
    await owner.post("/networks", { ...network, network: { cidr: "x" } });
    expect((await recordsOf("POST /networks")).length).toBe(before + 1);
  });
});

it("does not make a change that cannot be recorded", async () => {
  await db.$executeRaw`ALTER TABLE pending_audit_records ADD CONSTRAINT none CHECK (false) NOT VALID`;
  try {
    const requests = await db.request.count();
    await expect(owner.post("/networks", network)).rejects.toThrow("answers 500");
    expect(await db.request.count()).toBe(requests);
    const path = `/accounts/${owner.accountId}`;
    const change = { account: { emergency_contact: "nobody" } };
    await expect(owner.put(path, change)).rejects.toThrow("answers 500");
    expect((await owner.get(path)).body.account.emergency_contact).toBe("me");
  } finally {
    await db.$executeRaw`ALTER TABLE pending_audit_records DROP CONSTRAINT none`;
  }
});

it("contains successful and failed sign-ins with e-mail and IP address, but no password", async () => {
  const email = `${owner.userId}@example.com`;
  const signIn = (password: string) => supertest(api.app).post("/tokens").send({ email, password });
  expect([(await signIn(password)).status, (await signIn("a wrong password")).status]).toEqual([201, 401]);
  const records = await recordsOf("POST /tokens");
  expect(records.map(({ status, subject, userId }) => [status, subject?.split("/")[0], userId])).toEqual([
    [201, "token", owner.userId],
    [401, email, null],
  ]);
  expect(records.map(({ address }) => address)).toEqual(records.map(() => expect.stringMatching(/127\.0\.0\.1$/)));
  expect(JSON.stringify(records.map(({ changes }) => changes))).not.toMatch(/correct horse|a wrong password/);
});

it("contains each denied permission, in the record's account", async () => {
  const viewer = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  expect((await viewer.put(`/accounts/${owner.accountId}`, { account: {} })).status).toBe(403);
  const [record] = await auditOf(owner, "&status=403");
  expect(record).toMatchObject({
    user: expect.stringContaining(viewer.userId),
    action: "PUT /accounts/:account_id",
    subject: `account/${owner.accountId}`,
  });
});

it("requires staff to give a reason for changes in a customer's account, and shows it to the customer", async () => {
  const staff = await createCaller(api, { staff: true });
  const change = () => staff.put(`/accounts/${owner.accountId}`, { account: { emergency_contact: "support" } });
  const refused = await change();
  expect([refused.status, refused.body.errors[0]]).toEqual([403, expect.stringContaining("Gantry-Reason")]);
  expect((await change().set("Gantry-Reason", "ticket 12: contact was wrong")).status).toBe(200);
  const [record] = await auditOf(owner, `&user=${staff.userId}&status=200`);
  expect(record).toMatchObject({ reason: "ticket 12: contact was wrong", action: "PUT /accounts/:account_id" });
});

describe("reading", () => {
  it("filters by time, action and subject", async () => {
    const [newest] = await auditOf(owner);
    const since = encodeURIComponent(newest?.created_at as string);
    expect(await auditOf(owner, `&since=${since}`)).toContainEqual(newest);
    expect(await auditOf(owner, `&until=${since}`)).not.toContainEqual(newest);
    const subject = encodeURIComponent(`account/${owner.accountId}`);
    const found = await auditOf(owner, `&subject=${subject}&action=PUT%20/accounts/:account_id`);
    expect(new Set(found.map((record) => record.subject))).toEqual(new Set([`account/${owner.accountId}`]));
  });

  it("exports a chain behind a position, one record a line", async () => {
    const path = `/accounts/${owner.accountId}/audit/export`;
    const read = async (query = "") => {
      const { text, headers } = await owner.get(`${path}${query}`).buffer(true);
      expect(headers["content-type"]).toBe("application/x-ndjson");
      const lines = text.trim().split("\n");
      return lines.filter(Boolean).map((line) => JSON.parse(line).position as number);
    };
    const all = await read();
    expect(all).toEqual(Array.from({ length: all.length }, (_, index) => index + 1));
    expect(all).toHaveLength(await db.auditRecord.count({ where: { accountId: owner.accountId } }));
    expect(await read("?after=2")).toEqual(all.slice(2));
    expect(await read(`?after=${all.length}`)).toEqual([]);
  });
});

it("links only the pending records of its account, and leaves the chain's end to the workers that report it", async () => {
  await linkAuditRecords(db);
  const other = await createCaller(api);
  for (const { accountId, put } of [owner, other])
    await put(`/accounts/${accountId}`, { account: { emergency_contact: "both" } });
  const [newest] = await auditOf(owner);
  expect(newest?.changes).toEqual({ account: { emergency_contact: "both" } });
  expect(await db.pendingAuditRecord.findMany({ select: { accountId: true } })).toEqual([
    { accountId: other.accountId },
  ]);
  const heads = await linkAuditRecords(db);
  expect(heads.map(({ chain }) => chain).sort()).toEqual([owner.accountId, other.accountId].sort());
  const hash = heads.find(({ chain }) => chain === owner.accountId)?.hash ?? new Uint8Array();
  expect(Buffer.from(hash).toString("hex")).toBe(newest?.hash);
  expect(await linkAuditRecords(db)).toEqual([]);
});

describe("tampering by the database's owner is detected:", () => {
  const chain = owner.accountId;
  const found = async () => {
    const all = [];
    for await (const each of findTampering(db, chain)) all.push(`${each.position} ${each.found}`);
    return all;
  };

  /** Runs statements as the owner of the table can, and undoes them after `check`. */
  async function tampered(statements: string[]): Promise<string[]> {
    await db.$executeRaw`ALTER TABLE audit_records DISABLE TRIGGER append_only`;
    const saved = await db.auditRecord.findMany({ where: { chain } });
    for (const statement of statements) await db.$executeRawUnsafe(statement);
    const result = await found();
    await db.auditRecord.deleteMany({ where: { chain } });
    await db.auditRecord.createMany({ data: saved as never });
    await db.$executeRaw`ALTER TABLE audit_records ENABLE TRIGGER append_only`;
    return result;
  }

  const at = (position: number) => `chain = '${chain}' AND position = ${position}`;

  it("none if there is none", async () => {
    for (let i = 0; i < 5; i++) await owner.put(`/accounts/${chain}`, { account: { emergency_contact: `${i}` } });
    await linkAuditRecords(db);
    expect(await found()).toEqual([]);
  });

  it.each([
    ["a changed record", [`UPDATE audit_records SET status = 201 WHERE ${at(3)}`], ["3 changed"]],
    ["changed fields", [`UPDATE audit_records SET changes = '{"a":1}' WHERE ${at(2)}`], ["2 changed"]],
    ["a changed time", [`UPDATE audit_records SET created_at = created_at + '1 ms' WHERE ${at(1)}`], ["1 changed"]],
    ["a removed record", [`DELETE FROM audit_records WHERE ${at(2)}`], ["2 removed"]],
    ["a removed first record", [`DELETE FROM audit_records WHERE ${at(1)}`], ["1 removed"]],
    [
      "an inserted record",
      [
        `UPDATE audit_records SET position = position + 1000 WHERE chain = '${chain}' AND position > 2`,
        `UPDATE audit_records SET position = position - 999 WHERE chain = '${chain}' AND position > 1000`,
        `INSERT INTO audit_records SELECT chain, 3, sha256('x'), gen_random_uuid(), account_id, user_id, token_id, address,
          trace_id, action, subject, request_id, changes, status, reason, created_at FROM audit_records WHERE ${at(2)}`,
      ],
      ["3 inserted"],
    ],
    [
      "two swapped records",
      [
        `UPDATE audit_records SET position = 1000 WHERE ${at(2)}`,
        `UPDATE audit_records SET position = 2 WHERE ${at(3)}`,
        `UPDATE audit_records SET position = 3 WHERE ${at(1000)}`,
      ],
      expect.arrayContaining(["2 inserted"]),
    ],
  ])("%s", async (_name, statements, expected) => {
    expect(await tampered(statements as string[])).toEqual(expected);
    expect(await found()).toEqual([]);
  });

  it("a chain that was shortened or rewritten, if its head was kept elsewhere", async () => {
    const records = await db.auditRecord.findMany({ where: { chain }, orderBy: { position: "asc" } });
    const last = records.at(-1);
    if (!last) throw new Error("no records");
    const collect = async (database: Db) => {
      const all = [];
      for await (const each of findTampering(database, chain, [last])) all.push(`${each.position} ${each.found}`);
      return all;
    };
    await db.$executeRaw`ALTER TABLE audit_records DISABLE TRIGGER append_only`;
    await db.auditRecord.delete({ where: { id: last.id } });
    expect(await collect(db)).toEqual([`${last.position} removed`]);
    const forged = { ...last, status: 299 };
    const hash = auditHash(records.at(-2)?.hash, forged);
    await db.auditRecord.create({ data: { ...forged, hash } as never });
    expect([await found(), await collect(db)]).toEqual([[], [`${last.position} changed`]]);
    await db.auditRecord.delete({ where: { id: last.id } });
    await db.auditRecord.create({ data: last as never });
    await db.$executeRaw`ALTER TABLE audit_records ENABLE TRIGGER append_only`;
  });
});

it("links each record once and in order, even with several processes", async () => {
  await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      Promise.all([
        owner.put(`/accounts/${owner.accountId}`, { account: { emergency_contact: `${i}` } }),
        linkAuditRecords(db),
      ]),
    ),
  );
  await linkAuditRecords(db);
  expect(await db.pendingAuditRecord.count()).toBe(0);
  for (const chain of [owner.accountId, INSTALLATION_CHAIN]) {
    const all = [];
    for await (const each of findTampering(db, chain)) all.push(each);
    expect(all).toEqual([]);
  }
});

it("refuses to change or remove a record", async () => {
  await expect(db.auditRecord.updateMany({ data: { status: 1 } })).rejects.toThrow("append-only");
  await expect(db.auditRecord.deleteMany()).rejects.toThrow("append-only");
  await expect(db.$executeRaw`TRUNCATE audit_records`).rejects.toThrow("append-only");
  await owner.post("/networks", network);
  await expect(db.pendingAuditRecord.updateMany({ data: { status: 1 } })).rejects.toThrow("append-only");
});
