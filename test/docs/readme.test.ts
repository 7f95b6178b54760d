import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createAwsAccount } from "../support/account.js";
import { runSnippets } from "../support/doc-snippets.js";
import { bundleCommand, type TestCommand } from "../support/gantry-command.js";
import { type LiveGantry, startLiveGantry } from "../support/live.js";
import { setWorkerIdentity } from "../support/worker-identity.js";

const root = join(import.meta.dirname, "../..");

let live: LiveGantry;
let gantry: TestCommand;
beforeAll(async () => {
  live = await startLiveGantry();
  gantry = await bundleCommand({ GANTRY_URL: live.url, GANTRY_TOKEN: live.owner.token });
});
// The provider of the README has no credentials, and uses those of the workers.
beforeEach(async () => setWorkerIdentity(await createAwsAccount()));
afterAll(async () => {
  gantry.close();
  await live.close();
});

const networks = async () =>
  (await live.api.db.network.findMany({ where: { provisionedId: { not: null } } })).map(({ cidr }) => cidr).sort();

it("makes a network by the command, by the client and by plain HTTP, as the README shows", async () => {
  const readme = join(root, "README.md");
  const snippets = await runSnippets(readme, { ...gantry.env, PATH: `${gantry.bin}:${gantry.env.PATH}` });
  expect(snippets.map(({ answered }) => answered).join("")).toContain("Plan: provision network");
  expect(await networks()).toEqual(["10.0.0.0/16", "10.2.0.0/16"]);

  const [, code = ""] = /^```js\n([\s\S]*?)^```$/m.exec(readFileSync(readme, "utf8")) ?? [];
  expect(code).toContain("http://127.0.0.1:3000");
  // Inside a folder that has the client.
  const place = join(root, "scripts", `.readme-${process.pid}.mjs`);
  await writeFile(place, code.replace("http://127.0.0.1:3000", live.url));
  try {
    const words = ["--conditions=gantry-source", "--import", "tsx", place];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, env: gantry.env });
    expect(stdout).toMatch(/^vpc-/);
  } finally {
    await rm(place);
  }
  expect(await networks()).toEqual(["10.0.0.0/16", "10.1.0.0/16", "10.2.0.0/16"]);
});
