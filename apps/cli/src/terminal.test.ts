import { stripVTControlCharacters } from "node:util";
import { aws } from "@gantry/test/support/account";
import { startFlakyTcpProxy, throughProxy } from "@gantry/test/support/flaky-tcp-proxy";
import { bundleCommand, type TestCommand } from "@gantry/test/support/gantry-command";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";
import { until } from "@gantry/test/support/until";
import stringWidth from "string-width";

let live: LiveGantry;
let gantry: TestCommand;
let accountId: string;

beforeAll(async () => {
  live = await startLiveGantry();
  ({ accountId } = (await live.addProvider()).keys);
  gantry = await bundleCommand({ GANTRY_URL: live.url, GANTRY_TOKEN: live.owner.token });
});
afterAll(async () => {
  gantry.close();
  await live.close();
});

const network = (cidr: string, ...more: string[]) => [
  "networks",
  "create",
  "--cidr",
  cidr,
  "--location",
  "us-east-1",
  ...more,
];

it.each([40, 80, 200])(
  "shows a Request as it goes on in a terminal of %d columns, and no line is wider",
  async (columns) => {
    const run = gantry.inTerminal(network(`10.${columns}.0.0/16`), { columns });
    expect(await run.ended).toBe(0);
    expect(run.text()).toContain("\u001b[");
    const lines = stripVTControlCharacters(run.text()).split(/[\r\n]+/);
    expect(lines.find((line) => stringWidth(line) > columns)).toBeUndefined();
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/✓ create/)]));
  },
);

/** Runs `steps` while no network with subnets can be finished, so that its Request is open however slow the steps are. */
async function beforeTheEnd<T>(steps: () => Promise<T>): Promise<T> {
  const id = await aws.hang("CreateSubnet", { accountId });
  return steps().finally(() => aws.clear({ id }));
}

/** Starts to create a network with private subnets, and cuts the proxy's connections once its Request is shown. */
async function startedWithoutContact(cidr: string, proxy: Awaited<ReturnType<typeof startFlakyTcpProxy>>) {
  const env = { GANTRY_URL: throughProxy(proxy, live.url) };
  // While it waits, the end of the Request cannot come first.
  return beforeTheEnd(async () => {
    const started = gantry.inTerminal(network(cidr, "--private-subnets"), { env, columns: 120 });
    await started.shows(/Request [\da-f-]{36}/);
    proxy.disconnect();
    await started.shows("no contact since");
    return started;
  });
}

it("draws again after the window has become narrow", async () => {
  const proxy = await startFlakyTcpProxy(new URL(live.url));
  const run = await startedWithoutContact("10.1.0.0/16", proxy);
  const lengthBefore = run.text().length;
  const after = () => stripVTControlCharacters(run.text().slice(lengthBefore));
  const isCut = /Request [\da-f-]{31}…/;
  run.resize(40, 24);
  await until(async () => isCut.test(after()));
  await proxy.restore();
  expect(await run.ended).toBe(0);
  proxy.close();
  const lines = after()
    .slice(after().indexOf("…"))
    .split(/[\r\n]+/);
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter((line) => stringWidth(line) > 40)).toEqual([]);
  expect(lines).toContainEqual(expect.stringContaining("10.1.0.0/16"));
});

it("leaves the work running at Ctrl-C, and says how to go on", async () => {
  const run = await beforeTheEnd(async () => {
    const started = gantry.inTerminal(network("10.2.0.0/16", "--private-subnets"));
    await started.shows(/Request [\da-f-]{36}/);
    started.write("\u0003");
    expect(await started.ended).toBe(130);
    return started;
  });
  const [, id = ""] = /gantry requests watch ([\da-f-]{36})/.exec(stripVTControlCharacters(run.text())) ?? [];
  expect(await gantry.run(["requests", "watch", id])).toMatchObject({ code: 0 });
  expect((await live.owner.get(`/requests/${id}`)).body.request.state).toBe("finished");
});

it("asks before it removes, and takes no for an answer", async () => {
  const { out } = await gantry.run([...network("10.3.0.0/16", "--skip-subnets"), "--json"]);
  const { id } = JSON.parse(out).network;
  const refused = gantry.inTerminal(["networks", "delete", id]);
  await refused.shows(`delete network ${id}?`);
  refused.write("n");
  expect(await refused.ended).toBe(4);
  expect((await live.owner.get(`/networks/${id}`)).body.network.deleted_at).toBeNull();
  const agreed = gantry.inTerminal(["networks", "delete", id]);
  await agreed.shows(`delete network ${id}?`);
  agreed.write("y");
  expect(await agreed.ended).toBe(0);
  expect((await live.owner.get(`/networks/${id}`)).body.network.deleted_at).not.toBeNull();
});

it("asks which one is meant if two have the same name", async () => {
  for (const cidr of ["10.4.0.0/16", "10.5.0.0/16"])
    await gantry.run([...network(cidr, "--skip-subnets"), "--name", "shared"]);
  const { code, err } = await gantry.run(["networks", "show", "shared"]);
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/^✕ 2 networks have the name shared; give one's id\n {2}[\da-f-]{36} .*\n {2}[\da-f-]{36} /),
  ]);
  const run = gantry.inTerminal(["networks", "show", "shared", "--columns", "cidr"], { columns: 120 });
  await run.shows("2 networks have the name shared");
  run.write("\r");
  expect(await run.ended).toBe(0);
  expect(stripVTControlCharacters(run.text())).toMatch(/cidr {2}10\.[45]\.0\.0\/16/);
});

it.each([
  ["Ctrl-C", "\u0003"],
  ["Ctrl-D", "\u0004"],
])("takes %s at any question for a no, and does nothing", async (_, key) => {
  const cidr = key === "\u0003" ? "10.8.0.0/16" : "10.9.0.0/16";
  const { out } = await gantry.run([...network(cidr, "--skip-subnets"), "--json"]);
  const { id } = JSON.parse(out).network;
  const questions: [string[], string][] = [
    [["login"], "Gantry's address"],
    [["login", live.url, "--email", "ada@example.com"], "Password"],
    [["networks", "delete", id], `delete network ${id}?`],
  ];
  for (const [words, question] of questions) {
    const run = gantry.inTerminal(words);
    await run.shows(question);
    run.write(key);
    expect([words, await run.ended]).toEqual([words, 130]);
    expect(stripVTControlCharacters(run.text())).toMatch(/nothing was done\r\n$/);
  }
  expect((await live.owner.get(`/networks/${id}`)).body.network.deleted_at).toBeNull();
});

it("signs in by questions, and never shows the password", async () => {
  const password = "correct horse battery staple";
  const email = `ada-${Date.now()}@example.com`;
  const { createCaller } = await import("@gantry/test/support/api");
  const staff = await createCaller(live.api, { staff: true });
  await staff.post("/users", { user: { name: "Ada", email, password } });
  const run = gantry.inTerminal(["login"], { env: { GANTRY_URL: "", GANTRY_TOKEN: "" } });
  await run.shows("Gantry's address");
  // Ctrl-U takes away what is proposed.
  run.write(`\u0015${live.url}\r`);
  await run.shows("E-mail");
  run.write(`${email}\r`);
  await run.shows("Password");
  run.write(`${password}\r`);
  await run.shows("Signed in as Ada");
  expect(await run.ended).toBe(0);
  expect(run.text()).not.toContain(password);
});

it("shows no color and draws nothing again where the terminal cannot", async () => {
  const run = gantry.inTerminal(network("10.6.0.0/16", "--skip-subnets"), { env: { TERM: "dumb" } });
  expect(await run.ended).toBe(0);
  expect(run.text()).not.toContain("\u001b");
  const colorless = gantry.inTerminal(["networks", "show", "none"], { env: { NO_COLOR: "1" } });
  expect(await colorless.ended).toBe(5);
  expect(colorless.text()).not.toContain("\u001b[3");
});

it("goes on while Gantry cannot be reached, says so, and does nothing twice", async () => {
  const proxy = await startFlakyTcpProxy(new URL(live.url));
  const run = await startedWithoutContact("10.7.0.0/16", proxy);
  await proxy.restore();
  expect(await run.ended).toBe(0);
  expect(await live.api.db.network.count({ where: { cidr: "10.7.0.0/16" } })).toBe(1);
  proxy.close();
});
