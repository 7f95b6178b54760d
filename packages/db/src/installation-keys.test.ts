import { randomBytes, randomUUID } from "node:crypto";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { deriveInstallationKeys, type InstallationKeys, loadInstallationKeys } from "./installation-keys.js";

const [old, next] = [randomBytes(32), randomBytes(32)];
let database: TestDatabase;
beforeEach(async () => {
  database = await cloneDatabase();
});
afterEach(() => database.drop());

/** The bytes of keys: two key objects are equal for Jest whatever they hold. */
const bytesOf = (keys: InstallationKeys) => Object.entries(keys).map(([name, key]) => [name, key.export()]);

it("keeps the keys that derived from the first master key, for any later one", async () => {
  const derived = bytesOf(deriveInstallationKeys(old));
  expect(bytesOf(await loadInstallationKeys(database.db, [old]))).toEqual(derived);
  expect(bytesOf(await loadInstallationKeys(database.db, [next, old]))).toEqual(derived);
  expect(bytesOf(deriveInstallationKeys(next))).not.toEqual(derived);
});

it("returns the same keys to processes that start concurrently, whichever master key each has first", async () => {
  const lists = [
    [old, next],
    [next, old],
    [old, next],
    [next, old],
  ];
  const all = await Promise.all(lists.map(async (keys) => bytesOf(await loadInstallationKeys(database.db, keys))));
  for (const keys of all) expect(keys).toEqual(all[0]);
});

it("refuses to choose among several master keys if one of them created existing tokens", async () => {
  const userId = randomUUID();
  await database.db.user.create({ data: { id: userId, name: "A", email: "a@example.com", passwordHash: "" } });
  await database.db.token.create({ data: { id: randomUUID(), userId, name: "t", digest: randomBytes(32) } });
  await expect(loadInstallationKeys(database.db, [next, old])).rejects.toThrow("Start Gantry once with its current");
  expect(bytesOf(await loadInstallationKeys(database.db, [old]))).toEqual(bytesOf(deriveInstallationKeys(old)));
});

it("refuses to start with a master key that decrypts nothing, and explains why", async () => {
  await loadInstallationKeys(database.db, [old]);
  await expect(loadInstallationKeys(database.db, [next])).rejects.toThrow("No key in MASTER_KEY decrypts");
});
