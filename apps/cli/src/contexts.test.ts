import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { createCaller } from "@gantry/test/support/api";
import { fillAccount } from "@gantry/test/support/fixtures";
import { bundleCommand, type TestCommand } from "@gantry/test/support/gantry-command";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";

let live: LiveGantry;
let gantry: TestCommand;
let host: string;
const email = `ada-${Date.now()}@example.com`;
const password = "correct horse battery staple";

beforeAll(async () => {
  live = await startLiveGantry();
  gantry = await bundleCommand();
  host = new URL(live.url).host;
  const staff = await createCaller(live.api, { staff: true });
  await staff.post("/users", { user: { name: "Ada", email, password } });
});
afterAll(async () => {
  gantry.close();
  await live.close();
});

const withToken = () => gantry.run(["login", live.url, "--token-stdin"], { input: live.owner.token });
const withPassword = () => gantry.run(["login", live.url, "--email", email, "--password-stdin"], { input: password });

it("keeps a context whose token still works, and makes another for a second sign-in", async () => {
  expect((await withToken()).err).toContain(`context ${host}.`);
  expect((await withToken()).err).toContain(`context ${host}.`);
  const second = await withPassword();
  expect(second.err).toContain(`context ${host}-2. Next: gantry init\n  The context ${host} keeps its own token`);
  expect(await gantry.run(["context", "use", host])).toMatchObject({
    code: 0,
    err: `✓ ${host} is now the context: ${live.url}\n`,
  });
  expect((await gantry.run(["whoami", "--json"])).out).not.toContain(email);
});

it("makes no token that it could not keep", async () => {
  const tokens = () => live.api.db.token.count();
  const before = await tokens();
  const words = ["login", live.url, "--email", email, "--password-stdin"];
  const result = await gantry.run(words, { input: password, env: { GANTRY_CONFIG_DIR: "/dev/null/gantry" } });
  expect(result).toMatchObject({ code: 1, err: expect.stringContaining("set GANTRY_CONFIG_DIR to a folder") });
  expect(await tokens()).toBe(before);
});

it("makes no token if the disk has no room for one more context", async () => {
  await withToken();
  const tokens = () => live.api.db.token.count();
  const file = join(gantry.env.GANTRY_CONFIG_DIR as string, "config.json");
  const [before, text] = [await tokens(), readFileSync(file, "utf8")];
  const words = ["login", live.url, "--email", email, "--password-stdin"];
  // Files may have at most this many bytes, in blocks of 512: less than the present file and one more context.
  const limited = ["-c", `ulimit -f ${Math.ceil(text.length / 512)}; exec "$@"`, "sh", process.execPath, gantry.file];
  const login = promisify(execFile)("sh", [...limited, ...words], { env: gantry.env });
  login.child.stdin?.on("error", () => {}).end(password);
  const { code, stderr } = await login.catch((error) => error);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${file} cannot be written: EFBIG`)]);
  expect([await tokens(), readFileSync(file, "utf8")]).toEqual([before, text]);
});

it("keeps the file of contexts as it was, down to its inode, until it has a token", async () => {
  await withToken();
  const file = join(gantry.env.GANTRY_CONFIG_DIR as string, "config.json");
  const [text, { ino }] = [readFileSync(file, "utf8"), statSync(file)];
  const words = ["login", live.url, "--email", email, "--password-stdin"];
  expect((await gantry.run(words, { input: "wrong horse" })).code).toBe(3);
  expect([readFileSync(file, "utf8"), statSync(file).ino]).toEqual([text, ino]);
  const elsewhere = { GANTRY_CONFIG_DIR: join(gantry.env.GANTRY_CONFIG_DIR as string, "new") };
  expect((await gantry.run(words, { input: "wrong horse", env: elsewhere })).code).toBe(3);
  expect(readdirSync(elsewhere.GANTRY_CONFIG_DIR)).toEqual([]);
});

it("revokes without a question only the token that login made, and names the contexts that are left", async () => {
  const env = { GANTRY_CONFIG_DIR: join(gantry.env.GANTRY_CONFIG_DIR as string, "logout") };
  await gantry.run(["login", live.url, "--token-stdin"], { input: live.owner.token, env });
  await gantry.run(["login", live.url, "--email", email, "--password-stdin"], { input: password, env });
  const name = `${host}-2`;
  const asked = gantry.inTerminal(["logout", "--context", name], { env, columns: 200 });
  await asked.shows(/revoke the token “gantry on .*, 20\d\d-\d\d-\d\d \d\d:\d\d UTC”\?/);
  asked.write("n");
  expect(await asked.ended).toBe(4);
  const { code, err } = await gantry.run(["logout"], { env });
  expect([code, err]).toEqual([0, expect.stringContaining(`is revoked.\n  gantry context use ${host}\n`)]);
  expect(await gantry.run(["whoami"], { env })).toMatchObject({
    code: 3,
    err: expect.stringContaining(`context use ${host}\n`),
  });
  const given = await gantry.run(["logout", "--context", host], { env });
  expect([given.code, given.err]).toEqual([2, expect.stringContaining(`gantry context remove ${host}`)]);
  expect((await live.owner.get("/users/current")).status).toBe(200);
});

it("shows the help of a command by gantry help, and only verbs that exist", async () => {
  const { out } = await gantry.run(["help", "context"]);
  expect(out).toBe((await gantry.run(["context", "--help"])).out);
  expect(out).not.toContain("show");
});

describe("for people", () => {
  const env = () => ({ GANTRY_URL: live.url, GANTRY_TOKEN: live.owner.token });

  it("a terminal that does not know its width has 80 columns", async () => {
    const run = gantry.inTerminal(["networks", "show", "none"], { env: env(), columns: 0, rows: 0 });
    expect(await run.ended).toBe(5);
    const list = gantry.inTerminal(["accounts", "list"], { env: env(), columns: 0, rows: 0 });
    expect(await list.ended).toBe(0);
    expect(stripVTControlCharacters(list.text())).toMatch(/^ID {2,}NAME/);
  });

  it("an empty list names the command that makes its first record", async () => {
    const { err } = await gantry.run(["keypairs", "list"], { env: env() });
    expect(err).toBe("No keypairs. gantry keypairs create makes one.\n");
  });

  it("the page of a database and of a server ends with how to connect, and says where its password is", async () => {
    const fixtures = await fillAccount(live.api, live.owner, 1);
    const show = async (noun: string, ...more: string[]) =>
      (await gantry.run([noun, "show", String(fixtures[noun]), ...more], { env: env() })).out;
    const url = "postgresql://db-1.example.com:5432/shop";
    await live.api.db.databaseServer.updateMany({ data: { endpoint: url } });
    await live.api.db.server.updateMany({ data: { publicHostname: "web-1.example.com" } });
    expect(await show("database-servers")).toMatch(
      /Connect\n +host +db-1\.example\.com\n +port +5432\n[\s\S]*database +shop\n +url +postgresql:/,
    );
    expect(await show("database-services")).toMatch(
      /Connect\n +host +db-1\.example\.com\n +port +5432\n[\s\S]* url +postgresql:[\s\S]* tls bundle +https:\S+\.pem\n/,
    );
    expect(await show("servers")).toMatch(/Connect\n +ssh +ssh \w+@web-1\.example\.com -p \d+\n$/);
  });

  it("the offers of databases are a table", async () => {
    const { providerId } = await live.addProvider();
    const { code, out } = await gantry.run(["providers", "database-offers", String(providerId)], { env: env() });
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /engine_versions postgres +\d\S*, [\s\S]*\n\nAPI NAME +NAME +DESCRIPTION +ENGINES +ZONES\n/,
      ),
    ]);
  });

  it("audit records show when, who, what and how it ended", async () => {
    const { out } = await gantry.run(["accounts", "audit", live.owner.accountId], { env: env() });
    expect(out).toMatch(/^CREATED AT +USER +ACTION +SUBJECT +STATUS\n/);
  });
});
