import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { createAwsAccount } from "@gantry/test/support/account";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";

const cli = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "gantry-first-"));
const env = {
  PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
  HOME: folder,
  npm_config_cache: join(folder, ".npm"),
  npm_config_offline: "true",
};

let live: LiveGantry;

beforeAll(async () => {
  live = await startLiveGantry();
  const run = (words: string[], cwd: string) => promisify(execFile)("npm", words, { cwd, env });
  await run(["pack", "--pack-destination", folder], cli);
  const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  // Offline: a package of others would fail to install.
  await run(["install", "--no-audit", "--no-fund", join(folder, tarball)], folder);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await live.close();
});

async function gantry(words: string[], input = "") {
  const child = spawn(join(folder, "node_modules/.bin/gantry"), words, { cwd: folder, env });
  child.stdin.on("error", () => {}).end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, out, err };
}

it("leads from an empty folder with Node alone to a network and back, by its own words", async () => {
  expect((await gantry([])).out).toContain("login");
  expect((await gantry(["networks", "list"])).err).toContain("gantry login https://");
  expect(await gantry(["login", live.url, "--token-stdin"], live.owner.token)).toMatchObject({
    code: 0,
    err: expect.stringContaining("gantry init"),
  });
  const { out: first } = await gantry(["init"]);
  expect(first).toContain("gantry providers create --type aws");
  const keys = await createAwsAccount();
  const provider = [
    "providers",
    "create",
    "--type",
    "aws",
    "--access-key-id",
    keys.accessKeyId,
    "--secret-access-key-stdin",
  ];
  expect((await gantry(provider, keys.secretAccessKey)).code).toBe(0);
  // The commands as `gantry init` shows them, word by word.
  const shown = first
    .split("\n")
    .flatMap((line) => /^ {2}gantry (networks create .*?)(?: +#.*)?$/.exec(line)?.[1] ?? []);
  expect(shown).toHaveLength(2);
  for (const command of shown) expect(await gantry(command.split(" "))).toMatchObject({ code: 0 });
  expect((await gantry(["init"])).out).toMatch(/✓ 2\. A network: first/);
  const subnets = (await gantry(["subnets", "list", "--network", "first", "-q"])).out.trim().split("\n");
  for (const id of subnets) expect((await gantry(["subnets", "delete", id, "--yes"])).code).toBe(0);
  expect(await gantry(["networks", "delete", "first", "--yes"])).toMatchObject({ code: 0 });
  expect((await gantry(["networks", "list"])).err).toMatch(/^No networks\./);
});

it("is a package without any dependency", () => {
  const installed = JSON.parse(readFileSync(join(folder, "node_modules/@gantry/cli/package.json"), "utf8"));
  expect(installed.dependencies).toBeUndefined();
  expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["@gantry"]);
});
