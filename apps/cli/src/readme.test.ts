import { join } from "node:path";
import { runSnippets } from "@gantry/test/support/doc-snippets";
import { bundleCommand, type TestCommand } from "@gantry/test/support/gantry-command";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";

let live: LiveGantry;
let gantry: TestCommand;

beforeAll(async () => {
  live = await startLiveGantry();
  await live.addProvider();
  gantry = await bundleCommand({ GANTRY_URL: live.url, GANTRY_TOKEN: live.owner.token });
});
afterAll(async () => {
  gantry.close();
  await live.close();
});

it("shows commands that work, from the first network back to nothing", async () => {
  const env = { ...gantry.env, PATH: `${gantry.bin}:${gantry.env.PATH}` };
  const snippets = await runSnippets(join(import.meta.dirname, "../README.md"), env);
  expect(snippets.length).toBeGreaterThan(3);
  expect(await live.api.db.network.count({ where: { deletedAt: null, name: "first" } })).toBe(0);
  expect(await live.api.db.environment.count({ where: { deletedAt: null } })).toBe(0);
  const repeated = snippets.at(-1)?.answered.trim().split("\n") ?? [];
  expect(repeated[0]).toBe(repeated[1]);
});
