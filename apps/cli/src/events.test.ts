import { bundleCommand, type TestCommand } from "@gantry/test/support/gantry-command";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";

let live: LiveGantry;
let gantry: TestCommand;

const ids = (out: string) => (JSON.parse(out).events as { id: string }[]).map(({ id }) => id);
const list = async (...words: string[]) => {
  const { code, out, err } = await gantry.run(["events", "list", ...words]);
  expect([code, err]).toEqual([0, expect.any(String)]);
  return { out, err };
};

beforeAll(async () => {
  live = await startLiveGantry();
  await live.addProvider();
  gantry = await bundleCommand({ GANTRY_URL: live.url, GANTRY_TOKEN: live.owner.token });
  for (const cidr of ["10.1.0.0/16", "10.2.0.0/16"])
    await gantry.run(["networks", "create", "--cidr", cidr, "--location", "us-east-1", "--skip-subnets"]);
});
afterAll(async () => {
  gantry.close();
  await live.close();
});

it("lists the newest past events and ends, with the newest last", async () => {
  const all = ids((await list("--all", "--json")).out);
  expect(all.length).toBeGreaterThan(4);
  const newest = await list("--max", "2", "--json");
  expect([ids(newest.out), newest.err]).toEqual([all.slice(-2), "Older ones are left out; --all shows all\n"]);
  expect(ids((await list("--after", all[1] as string, "--max", "2", "--json")).out)).toEqual(all.slice(2, 4));
  expect(ids((await list("--after", "beginning", "--max", "1", "--json")).out)).toEqual(all.slice(0, 1));
  expect((await list("--max", "1")).out).toMatch(/^TIME +ID +TYPE +SUBJECT +DETAILS\n20\S+ +\d+-\d+ +\S+ +\w+\/\S+/);
  expect(await gantry.run(["events", "list", "--max", "0"])).toMatchObject({ code: 2 });
});

it("follows the events of an account or a Request only if it is asked to", async () => {
  const { out: account } = await gantry.run(["accounts", "list", "-q"]);
  const words = ["accounts", "events", account.trim(), "--json"];
  const known = ids((await gantry.run(words)).out);
  expect(ids((await list("--all", "--json")).out).slice(0, known.length)).toEqual(known);
  const followed = await gantry.run([...words, "--follow", "--after", "beginning", "--timeout", "2s"]);
  const lines = followed.out.trim().split("\n");
  const shown = lines.slice(0, known.length).map((line) => JSON.parse(line).id);
  expect([followed.code, shown]).toEqual([7, known]);
  const { out: requests } = await gantry.run(["requests", "list", "-q"]);
  const [request = ""] = requests.split("\n");
  const ofRequest = await gantry.run(["requests", "events", request, "--follow"]);
  expect([ofRequest.code, ofRequest.out]).toEqual([0, expect.stringMatching(/request\.finished .*\n$/)]);
});

it("ends at --timeout, and says after which event to go on", async () => {
  for (const from of ["0", "beginning"]) {
    const { code, out, err } = await gantry.run(["events", "tail", "--after", from, "--timeout", "2s"]);
    const [last = ""] = out.split("\n").slice(-2);
    const [, id] = last.split("  ");
    expect([code, err]).toEqual([7, `waited long enough for events\n  go on with: --after ${id}\n`]);
  }
  expect(await gantry.run(["events", "tail", "--timeout", "soon"])).toMatchObject({ code: 2 });
});
