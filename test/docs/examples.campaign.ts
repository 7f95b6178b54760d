import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type LiveGantry, startLiveGantry } from "../support/live.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const examples = `${root}examples/`;

let gantry: LiveGantry;
let variables: Record<string, string>;
beforeAll(async () => {
  // The example uses the built client, as a project of a user does.
  await run(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "--build", "packages/client"], { cwd: root });
  gantry = await startLiveGantry();
  const { providerId } = await gantry.addProvider();
  variables = {
    GANTRY_URL: gantry.url,
    GANTRY_TOKEN: gantry.owner.token,
    GANTRY_PROVIDER: String(providerId),
  };
});
afterAll(() => gantry.close());

describe("an example", () => {
  it.each([
    ["sh", "network.sh"],
    [process.execPath, "network.mjs"],
    ["python3", "network.py"],
  ])("provisions a network and removes it: %s %s", async (command, script) => {
    const { stdout } = await run(command, [`${examples}${script}`], { env: { ...process.env, ...variables } });
    expect(stdout).toMatch(/^Finished: Provision network/);
    expect(stdout).toContain("\nvpc-");
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^Finished: Deprovision network/);
    expect(await gantry.api.db.network.count({ where: { deletedAt: null } })).toBe(0);
  });
});
