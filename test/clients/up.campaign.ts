import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@gantry/local-stack";
import { bundleCommand } from "../support/gantry-command.js";

const root = join(import.meta.dirname, "../..");
// A clone is prepared with what the machine has: its registry, its cache. The stack of the test run is not that of `npm start`.
const { DATABASE_URL: _, REDIS_URL: __, AWS_ENDPOINT_URL: ___, GANTRY_CONFIG_DIR: ____, ...machine } = process.env;

it("gantry up starts a fresh clone, signs in to it, and ends with it at Ctrl-C", async () => {
  const clone = mkdtempSync(join(root, ".gantry/up-"));
  spawnSync("git", ["clone", "--quiet", "--shared", root, clone]);
  const gantry = await bundleCommand();
  try {
    expect((await gantry.run(["up"])).err).toContain("this folder is not in a checkout of Gantry");
    const env = { ...(machine as Record<string, string>), PORT: String(await freePort()) };
    const up = gantry.inTerminal(["up"], { folder: clone, env });
    await up.shows("The context local is ready");
    expect(JSON.parse((await gantry.run(["whoami", "--json"])).out)).toMatchObject({ token: expect.any(Object) });
    expect((await gantry.run(["networks", "list", "-q"])).code).toBe(0);
    up.write("\x03");
    expect(await up.ended).toBe(0);
    expect((await gantry.run(["networks", "list"])).code).toBe(9);
  } finally {
    gantry.close();
    rmSync(clone, { recursive: true, force: true });
  }
});
