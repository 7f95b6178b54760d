import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { auditLinking } from "@gantry/worker";
import { startApiTest } from "../test/support/api-test.js";
import { testEnv, testLog } from "../test/support/stack.js";
import { until } from "../test/support/until.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const { api, db, owner } = await startApiTest();
const folder = mkdtempSync(join(tmpdir(), "gantry-audit-"));
const heads = join(folder, "heads.ndjson");
afterAll(() => rmSync(folder, { recursive: true }));

async function verify(...words: string[]) {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, DATABASE_URL: api.database.url, NO_COLOR: "1" };
  const program = ["--conditions=gantry-source", "--import", "tsx", "scripts/audit-verify.ts", ...words];
  const child = spawn(process.execPath, program, { cwd: root, env });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: child.exitCode ?? (await new Promise((resolve) => child.once("exit", resolve))), out, err };
}

it("reports that the audit is unchanged, and detects a removed end by the heads that a worker kept", async () => {
  const stop = auditLinking({ db, log: testLog, env: testEnv(api.database, { AUDIT_HEADS_FILE: heads }) });
  for (const contact of ["a", "b", "c"])
    await owner.put(`/accounts/${owner.accountId}`, { account: { emergency_contact: contact } });
  await until(async () => (await db.pendingAuditRecord.count()) === 0);
  await stop();
  expect(readFileSync(heads, "utf8")).toContain(owner.accountId);

  const sound = await verify("--heads", heads);
  expect([sound.code, sound.out]).toEqual([0, expect.stringContaining("The audit is unchanged.")]);

  await db.$executeRaw`ALTER TABLE audit_records DISABLE TRIGGER append_only`;
  await db.auditRecord.delete({ where: { chain_position: { chain: owner.accountId, position: 3n } } });
  expect((await verify()).code).toBe(0);
  const short = await verify("--heads", heads, "--account", owner.accountId);
  expect([short.code, short.out]).toEqual([
    1,
    expect.stringContaining(`removed: record 3 of account ${owner.accountId}`),
  ]);

  await db.$executeRaw`UPDATE audit_records SET address = '192.0.2.1' WHERE chain = ${owner.accountId}::uuid AND position = 2`;
  const changed = await verify();
  expect([changed.code, changed.out]).toEqual([1, expect.stringContaining("changed: record 2 of account")]);
});

it("exits with 2 and the reason if it cannot run", async () => {
  writeFileSync(join(folder, "bad"), "x\n");
  const { code, err } = await verify("--heads", join(folder, "bad"));
  expect([code, err]).toEqual([2, expect.stringContaining("line 1 is not the end of a chain")]);
});
