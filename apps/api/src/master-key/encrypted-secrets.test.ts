import { randomBytes, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { deriveInstallationKeys, loadInstallationKeys, type SecretLocation, Vault } from "@gantry/db";
import { SEALED_COLUMNS } from "@gantry/resources";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { countByKey, rotateSecrets } from "./encrypted-secrets.js";

const [old, next] = [randomBytes(32), randomBytes(32)];
const before = new Vault([old]);
const both = new Vault([next, old]);
const PROVIDERS = 120;
const SECRETS = PROVIDERS + Object.keys(deriveInstallationKeys(old)).length;
const accountId = randomUUID();

let database: TestDatabase;
beforeEach(async () => {
  database = await cloneDatabase();
  await loadInstallationKeys(database.db, [old]);
  await database.db.account.create({ data: { id: accountId, name: "Test" } });
  const ids = Array.from({ length: PROVIDERS }, (_, i) => i + 1);
  const data = ids.map(async (id) => {
    const credentials = await before.encrypt(`secret ${id}`, locationOf(id));
    return { id, accountId, type: "aws", externalId: "x", credentials };
  });
  await database.db.provider.createMany({ data: await Promise.all(data) });
});
afterEach(() => database.drop());

function locationOf(id: number): SecretLocation {
  return { table: "providers", column: "credentials", id: String(id), account: accountId };
}

async function credentialsOf(id: number, vault = new Vault([next])): Promise<string> {
  const { credentials } = await database.db.provider.findUniqueOrThrow({ where: { id } });
  return vault.decrypt(credentials as Uint8Array, locationOf(id));
}

it("lists every column of bytes in the schema except digests", () => {
  const models = new URL("../../../../prisma/models/", import.meta.url);
  const schema = readdirSync(models).map((file) => readFileSync(new URL(file, models), "utf8"));
  const columns = schema
    .join("\n")
    .split(/^model /m)
    .flatMap((model) => {
      const table = /@@map\("(\w+)"\)/.exec(model)?.[1];
      const lines = model.split("\n").filter((line) => /^\s+\w+\s+Bytes\b/.test(line));
      return lines.map((line) => `${table}.${/@map\("(\w+)"\)/.exec(line)?.[1] ?? line.trim().split(/\s/)[0]}`);
    });
  const digests = ["audit_records.hash", "idempotency_keys.fingerprint", "sign_in_codes.digest", "tokens.digest"];
  const sealed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(columns.sort()).toEqual([...digests, ...sealed].sort());
});

it("encrypts every secret with the first key, and no other key decrypts them afterwards", async () => {
  expect(await countByKey(database.db, both)).toEqual(new Map([[1, SECRETS]]));
  expect(await rotateSecrets(database.db, both)).toBe(SECRETS);
  expect(await countByKey(database.db, both)).toEqual(new Map([[0, SECRETS]]));
  for (const id of [1, 100, 101, PROVIDERS]) expect(await credentialsOf(id)).toBe(`secret ${id}`);
  await loadInstallationKeys(database.db, [next]);
  expect(await rotateSecrets(database.db, both)).toBe(0);
});

it("never writes the old value over one that an app writes between its read and its write", async () => {
  const app = new Vault([next, old]);
  const slow = new Vault([next, old]);
  const encrypt = slow.encrypt.bind(slow);
  slow.encrypt = async (secret, location) => {
    if (location.table === "providers" && location.id === "120") {
      const credentials = await app.encrypt("written by the app", locationOf(120));
      await database.db.provider.update({ where: { id: 120 }, data: { credentials } });
    }
    return encrypt(secret, location);
  };
  expect(await rotateSecrets(database.db, slow)).toBe(SECRETS - 1);
  expect(await credentialsOf(120)).toBe("written by the app");
});

it("writes each secret once if two runs overlap", async () => {
  const written = await Promise.all([rotateSecrets(database.db, both), rotateSecrets(database.db, both)]);
  expect(written[0] + written[1]).toBe(SECRETS);
  expect(await countByKey(database.db, both)).toEqual(new Map([[0, SECRETS]]));
});

it("does not change what no key decrypts, and counts it", async () => {
  const credentials = await new Vault([randomBytes(32)]).encrypt("lost", locationOf(7));
  await database.db.provider.update({ where: { id: 7 }, data: { credentials } });
  expect(await rotateSecrets(database.db, both)).toBe(SECRETS - 1);
  expect(await countByKey(database.db, both)).toEqual(
    new Map([
      [0, SECRETS - 1],
      [undefined, 1],
    ]),
  );
});
