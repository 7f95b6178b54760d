import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";

const folder = fileURLToPath(new URL("..", import.meta.url));

let live: LiveGantry;
beforeAll(async () => {
  live = await startLiveGantry();
});
afterAll(() => live.close());

it("runs the code of the README in its order", async () => {
  const { providerId } = await live.addProvider();
  const text = await readFile(join(folder, "README.md"), "utf8");
  const blocks = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
  // Inside the package, so that its name is known.
  const place = await mkdtemp(join(folder, ".readme-"));
  try {
    const results =
      "\nconsole.log(JSON.stringify({ name, creates, gone: gone?.deleted_at, items: items.length, newest: newest.id }));\n";
    await writeFile(join(place, "readme.mjs"), blocks.join("\n") + results);
    const env = {
      GANTRY_URL: live.url,
      GANTRY_TOKEN: live.owner.token,
      GANTRY_ACCOUNT: live.owner.accountId,
      GANTRY_PROVIDER: String(providerId),
    };
    const words = ["--conditions=gantry-source", "--import", "tsx", join(place, "readme.mjs")];
    const { stdout } = await promisify(execFile)(process.execPath, words, { env, cwd: folder });
    const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({ name: expect.any(String), creates: expect.arrayContaining(["vpc"]), items: 1 });
  } finally {
    await rm(place, { recursive: true });
  }
});
