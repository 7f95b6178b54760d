import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const copy = mkdtempSync(join(tmpdir(), "gantry-new-"));

beforeAll(() => {
  const list = run("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], root).output;
  for (const file of list.split("\0").filter((name) => name && existsSync(join(root, name))))
    cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  // The links of each package are relative, so that in the copy they lead to the copy's packages.
  for (const folder of globSync(["{apps,packages}/*/node_modules", "{scripts,test,test/clients}/node_modules"], {
    cwd: root,
  }))
    cpSync(join(root, folder), join(copy, folder), { recursive: true, verbatimSymlinks: true });
  expect(run("git", ["init", "--quiet"])).toMatchObject({ status: 0 });
  generateClient();
  for (const folder of ["packages/client", "apps/cli"])
    expect(run(process.execPath, [`${folder}/generate.mjs`])).toMatchObject({ status: 0 });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function run(command: string, words: string[], cwd = copy) {
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return { status, output: `${stdout}${stderr}` };
}

const runNew = (...words: string[]) =>
  run(process.execPath, ["--conditions=gantry-source", "--import", "tsx", "scripts/new.ts", ...words]);
const bin = (name: string, ...words: string[]) => run(join(copy, "node_modules/.bin", name), words);

function generateClient(): void {
  const { status, output } = bin("prisma", "generate");
  expect([status, status === 0 || output]).toEqual([0, true]);
}

/** The contents of the copy, to compare before and after. */
function snapshot(): string {
  expect(run("git", ["add", "--all"])).toMatchObject({ status: 0 });
  const tree = run("git", ["write-tree"]);
  expect(tree).toEqual({ status: 0, output: expect.stringMatching(/^[\da-f]{40}\n$/) });
  return tree.output;
}

it.each([
  ["resource", "Contact", "kebab-case"],
  ["resource", "network", "already exists"],
  ["resource", "import", "keyword"],
  ["endpoint", "networks", "RESOURCES/ACT"],
  ["endpoint", "no-such/act", "does not exist; create it"],
  ["workflow", "enable-dns", "snake_case"],
  ["workflow", "provision_network", "already exists"],
  ["workflow", "enable_sunshine", "does not contain a resource"],
])("refuses the %s %s and changes nothing", (kind, name, reason) => {
  const before = snapshot();
  const { status, output } = runNew(kind, name);
  expect([status, output]).toEqual([2, expect.stringContaining(reason)]);
  expect(snapshot()).toBe(before);
});

it("writes a resource, an endpoint and a workflow that compile and that the linter and the formatter accept", () => {
  for (const [kind, name] of [
    ["resource", "support-contact"],
    ["endpoint", "support-contacts/call"],
    ["endpoint", "networks/enable-dns"],
    ["workflow", "enable_network_dns"],
    ["workflow", "resize_volume"],
    ["workflow", "reboot_database_server"],
  ] as const) {
    const { status, output } = runNew(kind, name);
    expect([name, status, output]).toEqual([name, 0, expect.stringContaining("Next:")]);
  }
  expect(runNew("endpoint", "networks/enable-dns")).toMatchObject({ status: 2 });
  generateClient();
  expect(bin("tsc", "-p", ".")).toEqual({ status: 0, output: "" });
  const written = run("git", ["ls-files", "--modified", "--others", "--exclude-standard"]).output.trim().split("\n");
  expect(written.length).toBeGreaterThan(10);
  // Biome panics at ignored files behind the link to node_modules.
  const { status, output } = bin(
    "biome",
    "ci",
    "--colors=off",
    "--vcs-enabled=false",
    "--no-errors-on-unmatched",
    ...written,
  );
  expect([status, status === 0 || output]).toEqual([0, true]);
});
