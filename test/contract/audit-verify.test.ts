import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Gantry, verifyAudit } from "@gantry/client";
import { redactRecords } from "@gantry/db";
import { bundleCommand, type TestCommand } from "../support/gantry-command.js";
import { type LiveGantry, startLiveGantry } from "../support/live.js";

let live: LiveGantry;
let gantry: TestCommand;
let chain: string;

beforeAll(async () => {
  live = await startLiveGantry();
  gantry = await bundleCommand({ GANTRY_URL: live.url, GANTRY_TOKEN: live.owner.token });
  chain = live.owner.accountId;
  for (const contact of ["a", "b", "größer € 𝄞", "d", "e", "f"])
    await live.owner.put(`/accounts/${chain}`, { account: { emergency_contact: contact } });
});
afterAll(async () => {
  gantry.close();
  await live.close();
});

const at = (position: number) => `chain = '${chain}' AND position = ${position}`;
const file = (name: string) => join(gantry.env.HOME as string, name);

/** Runs `check` on an audit that its database's owner has changed, and undoes the change. */
async function tampered<T>(statements: string[], check: () => Promise<T>): Promise<T> {
  const { db } = live.api;
  await db.$executeRaw`ALTER TABLE audit_records DISABLE TRIGGER append_only`;
  const saved = await db.auditRecord.findMany({ where: { chain } });
  for (const statement of statements) await db.$executeRawUnsafe(statement);
  const result = await check();
  await db.auditRecord.deleteMany({ where: { chain } });
  await db.auditRecord.createMany({ data: saved as never });
  await db.$executeRaw`ALTER TABLE audit_records ENABLE TRIGGER append_only`;
  return result;
}

const verify = (...words: string[]) => gantry.run(["audit", "verify", ...words]);

it("finds a whole chain whole, and keeps its end", async () => {
  const { code, err } = await verify("--keep", file("heads"));
  expect([code, err]).toEqual([0, expect.stringMatching(/^The chain is whole: \d+ records, last [\da-f]{8}… at/)]);
  const { audit } = JSON.parse((await verify("--heads", file("heads"), "--json")).out);
  expect(audit).toMatchObject({ chain, findings: [], unchecked: [], heads: 1 });
  expect(JSON.parse(readFileSync(file("heads"), "utf8"))).toMatchObject({ chain, ...audit.head });
});

it.each([
  ["a changed record", (at3: string) => [`UPDATE audit_records SET status = 201 WHERE ${at3}`], "record 3 changed"],
  ["a changed input", (at3: string) => [`UPDATE audit_records SET changes = '{}' WHERE ${at3}`], "record 3 changed"],
  ["a changed time", (at3: string) => [`UPDATE audit_records SET created_at = now() WHERE ${at3}`], "record 3 changed"],
  ["a removed record", (at3: string) => [`DELETE FROM audit_records WHERE ${at3}`], "record 3 removed"],
])("finds %s, and keeps no end of such a chain", async (_name, statements, expected) => {
  const { code, err } = await tampered(statements(at(3)), () => verify("--keep", file("broken")));
  expect([code, err]).toEqual([1, expect.stringContaining(expected)]);
  expect(() => readFileSync(file("broken"))).toThrow("ENOENT");
});

it("does not take a changed record for one that it cannot check, unless it is told to", async () => {
  const masked = `{"account":{"url":"https://example.com/***"}}`;
  const statements = [`UPDATE audit_records SET changes = '${masked}' WHERE ${at(3)}`];
  const { code, err } = await tampered(statements, () => verify("--keep", file("unchecked")));
  expect([code, err]).toEqual([1, expect.stringContaining("not all of the audit could be checked")]);
  expect(err).toContain("record 3 not checked");
  expect(() => readFileSync(file("unchecked"))).toThrow("ENOENT");
  const allowed = await tampered(statements, () => verify("--allow-unchecked"));
  expect([allowed.code, allowed.err]).toEqual([0, expect.stringContaining("1 not checked")]);
});

it("finds a chain that was shortened or begins anew, with an end that was kept", async () => {
  const { position } = JSON.parse(readFileSync(file("heads"), "utf8"));
  const short = [`DELETE FROM audit_records WHERE ${at(position)}`];
  expect((await tampered(short, () => verify())).code).toBe(0);
  const { code, err } = await tampered(short, () => verify("--heads", file("heads")));
  expect([code, err]).toEqual([1, expect.stringContaining(`record ${position} removed`)]);
  const emptied = await tampered([`DELETE FROM audit_records WHERE chain = '${chain}'`], () =>
    verify("--heads", file("heads")),
  );
  expect([emptied.code, emptied.err]).toEqual([1, expect.stringContaining("record 1 removed")]);
});

it("accepts what was redacted, and no other content of such a record", async () => {
  const { db } = live.api;
  const [previous, record] = await db.auditRecord.findMany({
    where: { chain, position: { in: [1n, 2n] } },
    orderBy: { position: "asc" },
  });
  if (!previous || !record) throw new Error("no records");
  await redactRecords(db, [{ record, previous: previous.hash, changes: { account: "hidden" } }], "a test");
  expect(await verify()).toMatchObject({ code: 0 });
  const other = [`UPDATE audit_records SET changes = '{"account":"other"}' WHERE ${at(2)}`];
  expect((await tampered(other, () => verify())).err).toContain("record 2 changed");
});

it("continues after the last record whenever the connection is lost", async () => {
  const { db } = live.api;
  await db.$executeRaw`
    INSERT INTO pending_audit_records (id, account_id, trace_id, action, changes, status)
    SELECT gen_random_uuid(), ${chain}::uuid, 'trace', 'a test', ('{"text":"' || repeat('x', 500) || '"}')::json, 200
    FROM generate_series(1, 3000)`;
  const starts: string[] = [];
  const cutting: typeof fetch = async (url, init) => {
    starts.push(new URL(String(url)).searchParams.get("after") ?? "");
    const response = await fetch(url, init);
    let bytes = 0;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes > 500_000) controller.error(new TypeError("terminated"));
        else controller.enqueue(chunk);
      },
    });
    return new Response(response.body?.pipeThrough(cut), response);
  };
  const client = new Gantry({ baseUrl: live.url, token: live.owner.token, fetch: cutting });
  const check = await verifyAudit(client.auditRecords(chain));
  expect(check).toMatchObject({ records: await db.auditRecord.count({ where: { chain } }), findings: [] });
  expect(check.records).toBeGreaterThan(3000);
  expect(starts.length).toBeGreaterThan(3);
  expect(starts).toEqual([...new Set(starts)]);
});

it("names the line of a file of ends that is none", async () => {
  writeFileSync(file("bad"), '\n{"chain": 1}\n');
  const { code, err } = await verify("--heads", file("bad"));
  expect([code, err]).toEqual([2, expect.stringContaining("line 2 of")]);
});
