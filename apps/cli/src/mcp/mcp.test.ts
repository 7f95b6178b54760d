import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { aws, createAwsAccount } from "@gantry/test/support/account";
import { bundleCommand, type TestCommand } from "@gantry/test/support/gantry-command";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";
import { startLossyProxy } from "@gantry/test/support/lossy-proxy";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

let live: LiveGantry;
let gantry: TestCommand;
let providerId: number;
let keys: Awaited<ReturnType<LiveGantry["addProvider"]>>["keys"];
const clients: Client[] = [];
/** All that the servers answered. */
const answers: string[] = [];

beforeAll(async () => {
  live = await startLiveGantry();
  gantry = await bundleCommand();
  ({ providerId, keys } = await live.addProvider());
});
afterAll(async () => {
  for (const client of clients) await client.close();
  gantry.close();
  await live.close();
});

/** A host that starts the command, as agents do. */
async function agent(words: string[] = [], token: string = live.owner.token, more: Record<string, string> = {}) {
  const client = new Client({ name: "test", version: "1" });
  const env = { ...gantry.env, GANTRY_URL: live.url, GANTRY_TOKEN: token, ...more };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [gantry.file, "mcp", ...words], env }),
  );
  clients.push(client);
  return toolsOf(client);
}

function toolsOf(client: Client) {
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: args });
    const text = (content as { text: string }[]).map((part) => part.text).join("\n");
    answers.push(text);
    return { text, isError };
  };
  return {
    client,
    call,
    /** The answer of a tool that succeeds. */
    done: async (name: string, args?: Record<string, unknown>) => {
      const { text, isError } = await call(name, args);
      expect({ text, isError }).toEqual({ text, isError: false });
      return text;
    },
    /** The sentences of a tool that refuses. */
    refused: async (name: string, args?: Record<string, unknown>) => {
      const { text, isError } = await call(name, args);
      expect({ text, isError }).toEqual({ text, isError: true });
      return text;
    },
  };
}

type Agent = ReturnType<typeof toolsOf>;

/** Code by which it is 15 minutes later for a process as soon as a file exists. */
const laterWith = (file: string) => `
  import { existsSync } from "node:fs";
  const { now } = Date;
  Date.now = () => now() + (existsSync(${JSON.stringify(file)}) ? 901_000 : 0);`;

const planIdIn = (text: string) => /plan_id (\w+)/.exec(text)?.[1] as string;
const requestIn = (text: string) => /Request ([\da-f-]{36})/.exec(text)?.[1] as string;
const planFor = async ({ done }: Agent, operation: string, ids: string[], input: object = {}) =>
  planIdIn(await done("make_plan", { operation, ids, input }));
const network = (name: string, cidr: string) => ({
  network: { name, cidr, location: "us-east-1", skip_subnets: true },
});
const networksNamed = async (name: string) => (await live.owner.get(`/networks?name=${name}`)).body.networks;

/** Makes a network by a plan, and returns its id. */
async function made(host: Agent, name: string, cidr: string): Promise<string> {
  const id = await planFor(host, "networks create", [], network(name, cidr));
  const request = requestIn(await host.done("run_plan", { plan_id: id }));
  expect(await host.done("follow_request", { id: request, wait_seconds: 60 })).toContain('"state":"finished"');
  const [{ id: made }] = await networksNamed(name);
  return made;
}

describe("without --allow-changes", () => {
  let reader: Agent;
  beforeAll(async () => {
    reader = await agent();
  });

  it("lists only tools that read, in at most 2,500 tokens", async () => {
    const { tools } = await reader.client.listTools();
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual(tools.map(() => true));
    expect(tools.map(({ name }) => name)).not.toContain("run_plan");
  });

  it("says how to allow changes", async () => {
    for (const name of ["run_plan", "cancel_request"])
      expect(await reader.refused(name, { plan_id: "x", id: "x" })).toContain("gantry mcp --allow-changes");
  });

  it("finds, lists and reads records, and says what there is instead", async () => {
    await live.done(
      await live.owner.post("/networks", { provider: providerId, ...network("readable", "10.9.0.0/16") }),
    );
    const [record] = await networksNamed("readable");
    expect(await reader.done("find", { words: "readab" })).toContain(`networks: {`);
    expect(await reader.done("find", { words: record.provisioned_id })).toContain(String(record.id));
    expect(await reader.done("list_records", { collection: "networks", filters: { name: "readable" } })).toMatch(
      /^1 networks in all\n\{.*"cidr":"10\.9\.0\.0\/16"/,
    );
    expect(await reader.done("get_record", { collection: "networks", id: "readable" })).toContain(
      record.provisioned_id,
    );
    expect(await reader.refused("get_record", { collection: "networks", id: "unreadable" })).toContain(
      "networks: readable",
    );
    expect(await reader.refused("get_record", { collection: "nets", id: "x" })).toContain("collections: ");
    expect(await reader.refused("list_records", { collection: "networks", filters: { colour: "red" } })).toMatch(
      /has no colour\nit has: .*provisioned_id/,
    );
    expect(await reader.refused("list_records", { collection: "networks", part: "delete" })).toContain("is a change");
    expect(await reader.done("list_records", { collection: "providers", part: "compute-flavors", id: "1" })).toMatch(
      /flavors/,
    );
    expect(await reader.refused("find", {})).toMatch(/^words: /);
  });

  it("shows operations and their input", async () => {
    expect(await reader.done("list_operations")).toContain("networks: create, list");
    expect(await reader.done("list_operations", { name: "networks" })).toMatch(/networks create: .*network\.cidr/);
    expect(await reader.done("list_operations", { name: "networks create" })).toMatch(
      /network\.cidr: string; required/,
    );
  });

  it("plans with the cost, and does nothing", async () => {
    const input = { "network.cidr": "10.8.0.0/16", "network.location": "us-east-1", "network.private_subnets": true };
    const text = await reader.done("make_plan", { operation: "networks create", input });
    expect(text).toMatch(/^Plan: provision network.* \(nothing was changed\)\n[\s\S]*1 × NAT gateway +\$32\.85/);
    expect(text).toMatch(/networks create sends: POST \/networks .*"private_subnets":true.*\nplan_id plan_[\da-f]{32}/);
    expect(await live.api.db.network.count({ where: { cidr: "10.8.0.0/16" } })).toBe(0);
  });

  it("refuses wrong input with the API's sentence and the field", async () => {
    const wrong = { operation: "networks create", input: network("x", "10.1.0.1/16") };
    expect(await reader.refused("make_plan", wrong)).toMatch(/network\.cidr: has bits set beyond its prefix/);
    const missing = { operation: "servers create", input: { "server.name": "web-1" } };
    expect(await reader.refused("make_plan", missing)).toMatch(
      /^environment, server\.flavor, server\.role are missing/,
    );
  });

  it("accepts no secret, and makes none", async () => {
    const { secretAccessKey, accessKeyId } = await createAwsAccount();
    const credentials = { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
    const input = { provider: { type: "aws", credentials } };
    expect(await reader.refused("make_plan", { operation: "providers create", input })).toMatch(
      /^provider\.credentials\.secret_access_key is a secret, which no tool accepts\nask the user to run: gantry providers create/,
    );
    expect(await reader.refused("make_plan", { operation: "service-tokens create", input: {} })).toContain(
      "answers with a secret",
    );
  });

  it("reads Requests and events as resources", async () => {
    const { resourceTemplates } = await reader.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "gantry://requests/{id}",
      "gantry://accounts/{id}/events",
    ]);
    const [{ id }] = (await live.owner.get("/requests?per_page=1")).body.requests;
    const request = await reader.client.readResource({ uri: `gantry://requests/${id}` });
    expect(request.contents[0]).toMatchObject({ text: expect.stringContaining(id) });
    const events = await reader.client.readResource({ uri: `gantry://accounts/${live.owner.accountId}/events` });
    expect(events.contents[0]).toMatchObject({ text: expect.stringContaining("request.finished") });
    expect(await reader.done("read_events", { types: ["request.finished"] })).toMatch(
      /request\.finished.*\nGo on with after "/s,
    );
  });
});

describe("with --allow-changes", () => {
  let writer: Agent;
  beforeAll(async () => {
    writer = await agent(["--allow-changes"]);
  });

  it("lists all tools in at most 2,500 tokens", async () => {
    const { tools } = await writer.client.listTools();
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name);
    expect(destructive).toEqual(["run_plan", "cancel_request"]);
    // A token of English prose has four bytes and more; JSON's punctuation makes three of it.
    expect(Buffer.byteLength(JSON.stringify(tools)) / 3).toBeLessThanOrEqual(2500);
  });

  it("needs a token with the scope write", async () => {
    const { body } = await live.owner.post("/tokens", { token: { name: "reader", scopes: ["read"] } });
    const env = { GANTRY_URL: live.url, GANTRY_TOKEN: body.api_token };
    expect(await gantry.run(["mcp", "--allow-changes"], { env })).toEqual({
      code: 4,
      out: "",
      err: expect.stringContaining("--allow-changes needs a token with the scope write"),
    });
  });

  it("carries out what a plan showed, once", async () => {
    const plan_id = await planFor(writer, "networks create", [], network("planned", "10.20.0.0/16"));
    const [one, other] = await Promise.all([
      writer.done("run_plan", { plan_id }),
      writer.done("run_plan", { plan_id }),
    ]);
    const id = requestIn(one);
    expect(requestIn(other)).toBe(id);
    expect(await writer.done("follow_request", { id, wait_seconds: 60 })).toContain('"state":"finished"');
    const again = await writer.done("run_plan", { plan_id });
    expect(again).toMatch(/^This plan was carried out before; nothing was done again\./);
    expect(requestIn(again)).toBe(id);
    expect(await networksNamed("planned")).toHaveLength(1);
  });

  it("runs no plan that it did not make", async () => {
    const plan_id = await planFor(writer, "networks create", [], network("unplanned", "10.21.0.0/16"));
    const altered = plan_id.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    for (const id of [altered, "plan_0", "__proto__"])
      expect(await writer.refused("run_plan", { plan_id: id })).toMatch(/^there is no plan .*\n.*call make_plan again/);
    expect(await (await agent(["--allow-changes"])).refused("run_plan", { plan_id })).toContain("there is no plan");
    expect(await networksNamed("unplanned")).toEqual([]);
  });

  it("runs no plan after the situation changed, and says how", async () => {
    const id = await made(writer, "moved", "10.22.0.0/16");
    const removal = await planFor(writer, "networks delete", ["moved"]);
    const change = await planFor(writer, "networks update", ["moved"], { "network.tags": { team: "shop" } });
    await live.owner.patch(`/networks/${id}`, { network: { tags: { team: "bank" } } });
    for (const plan_id of [removal, change])
      expect(await writer.refused("run_plan", { plan_id })).toMatch(
        /^nothing was done: the situation is not the one that the plan showed\n[\s\S]*now\.tags\.team: .*"bank"/,
      );
    expect(await networksNamed("moved")).toMatchObject([{ tags: { team: "bank" } }]);
  });

  it("shows the whole of what it would send, also values that take something away", async () => {
    const input = { network: { tags: { team: null, password: "shown" } } };
    const { text } = await writer.call("make_plan", { operation: "networks update", ids: ["planned"], input });
    expect(text).toMatch(/sends: PATCH \/networks\/\S+ \{"network":\{"tags":\{"team":null,"password":"shown"\}\}\}/);
  });

  it("runs no plan that is older than 15 minutes", async () => {
    const file = join(gantry.env.HOME as string, "later");
    const late = await agent(["--allow-changes"], live.owner.token, {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(laterWith(file))}`,
    });
    const plan_id = await planFor(late, "networks create", [], network("late", "10.24.0.0/16"));
    writeFileSync(file, "");
    expect(await late.refused("run_plan", { plan_id })).toMatch(/^there is no plan .*\n.*good for 15 minutes/);
    expect(await networksNamed("late")).toEqual([]);
  });

  it("carries out a plan once although the answers to it are lost", async () => {
    let areLost = true;
    const proxy = await startLossyProxy(live.url, 0, (url) => (areLost && !url.includes("dry_run") ? "drop" : "pass"));
    const host = await agent(["--allow-changes"], live.owner.token, { GANTRY_URL: proxy.url });
    const plan_id = await planFor(host, "networks create", [], network("lost", "10.25.0.0/16"));
    expect(await host.refused("run_plan", { plan_id })).toMatch(
      /^no response .*\n.*run_plan with the same plan_id does nothing twice/,
    );
    expect(proxy.counts.lost).toBeGreaterThan(1);
    areLost = false;
    const id = requestIn(await host.done("run_plan", { plan_id }));
    expect(await host.done("follow_request", { id, wait_seconds: 60 })).toContain('"state":"finished"');
    expect(await networksNamed("lost")).toHaveLength(1);
    await proxy.close();
  });

  it("says what is in the way", async () => {
    const { id } = await live.done(
      await live.owner.post("/networks", {
        provider: providerId,
        network: { name: "full", cidr: "10.23.0.0/16", location: "us-east-1" },
      }),
    );
    expect(id).toBeDefined();
    expect(await writer.refused("make_plan", { operation: "networks delete", ids: ["full"] })).toMatch(
      /in the way: get_record subnets /,
    );
  });

  it("cancels a Request and says that nothing is left", async () => {
    await aws.setTransitionDelays({ natGatewayMs: 3000 }, { accountId: keys.accountId });
    const input = {
      network: { name: "cancelled", cidr: "10.24.0.0/16", location: "us-east-1", private_subnets: true },
    };
    const plan_id = await planFor(writer, "networks create", [], input);
    const id = requestIn(await writer.done("run_plan", { plan_id }));
    expect(await writer.done("follow_request", { id, wait_seconds: 1 })).toContain("call follow_request again");
    expect(await writer.done("cancel_request", { id })).toBe("Cancelled.\nNothing is left in AWS.");
    expect(await writer.done("cancel_request", { id })).toMatch(/^Cancelled\./);
  });

  it("explains a failed Request, and runs it again", async () => {
    await aws.refuse("CreateVpc", { code: "VpcLimitExceeded", times: 1, accessKeyId: keys.accessKeyId });
    const plan_id = await planFor(writer, "networks create", [], network("repaired", "10.25.0.0/16"));
    const id = requestIn(await writer.done("run_plan", { plan_id }));
    expect(await writer.done("follow_request", { id, wait_seconds: 60 })).toContain(`explain_failure ${id} says why`);
    const explanation = await writer.done("explain_failure", { id });
    expect(explanation).toContain("The AWS account has reached a quota");
    expect(explanation).toContain(`make_plan "requests retry" ${id}`);
    const retry = await planFor(writer, "requests retry", [id]);
    const next = requestIn(await writer.done("run_plan", { plan_id: retry }));
    expect(await writer.done("follow_request", { id: next, wait_seconds: 60 })).toContain('"state":"finished"');
  });

  it("cuts long answers at 8 kB, and goes on at the cursor", async () => {
    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const text = await writer.done("list_records", { collection: "requests", ...(cursor && { cursor }) });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8192);
      seen.push(...[...text.matchAll(/^\{"type":"\w+","id":"([\da-f-]{36})"/gm)].map(([, id]) => id as string));
      cursor = /cursor "(.*)"$/.exec(text)?.[1];
      more = cursor !== undefined;
    }
    const { headers } = await live.owner.get("/requests?per_page=1");
    expect(seen).toHaveLength(Number(headers["x-total-count"]));
    expect(new Set(seen).size).toBe(seen.length);
  });
});

it("refuses plans above --max-monthly-usd, and those whose cost it does not know", async () => {
  const thrifty = await agent(["--allow-changes", "--max-monthly-usd", "10"]);
  const plan = (operation: string, input: object) => ({ operation, input });
  const dear = { "network.cidr": "10.30.0.0/16", "network.location": "us-east-1", "network.private_subnets": true };
  expect(await thrifty.refused("make_plan", plan("networks create", dear))).toMatch(
    /up to \$10 .*costs up to \$36\.50 a month/,
  );
  const elsewhere = { "address.location": "eu-west-1" };
  expect(await thrifty.refused("make_plan", plan("addresses create", elsewhere))).toMatch(
    /its cost is not known: Gantry has no prices/,
  );
  expect(await thrifty.done("make_plan", plan("addresses create", { "address.location": "us-east-1" }))).toContain(
    "plan_id",
  );
});

it("hides the secrets that its token may read", async () => {
  const environments = `/accounts/${live.owner.accountId}/environments`;
  const { body } = await live.owner.post(environments, { environment: { name: "canary" } });
  const { body: shown } = await live.owner.get(`/environments/${body.environment.id}`);
  expect(shown.environment.internal_private_key).toMatch(/PRIVATE KEY/);
  const reader = await agent();
  expect(await reader.done("get_record", { collection: "environments", id: "canary" })).toContain(
    '"internal_private_key":"hidden"',
  );
  expect(answers.join("\n")).not.toMatch(/PRIVATE KEY|secret_access_key":"/);
  expect(answers.join("\n")).not.toContain(live.owner.token);
});

describe("over HTTP", () => {
  const secret = "s3cret-of-the-test";
  let server: ReturnType<TestCommand["inTerminal"]>;
  let url: string;
  beforeAll(async () => {
    const env = { GANTRY_URL: live.url, GANTRY_TOKEN: live.owner.token, GANTRY_MCP_SECRET: secret };
    server = gantry.inTerminal(["mcp", "--http"], { env });
    await server.shows(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
    url = /http:\S+mcp/.exec(server.text())?.[0] as string;
  });

  it("serves those who know the secret", async () => {
    const client = new Client({ name: "test", version: "1" });
    const headers = { Authorization: `Bearer ${secret}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    clients.push(client);
    expect(await toolsOf(client).done("list_operations")).toContain("networks: ");
  });

  it.each([
    ["no secret", {}, 401],
    ["another secret", { Authorization: "Bearer x" }, 401],
    ["another host", { Authorization: `Bearer ${secret}`, Host: "gantry.example.com" }, 403],
    ["a page of another origin", { Authorization: `Bearer ${secret}`, Origin: "https://example.com" }, 403],
  ])("refuses calls with %s", async (_, headers, status) => {
    expect(await statusOf(url, headers)).toBe(status);
  });

  it("ends on Ctrl-C", async () => {
    server.signal("SIGINT");
    expect(await server.ended).toBe(0);
  });
});

/** The status of a call with headers that `fetch` does not let a page set. */
function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const all = { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers };
  return new Promise((resolve, reject) => {
    const call = request(url, { method: "POST", headers: all }, (response) => resolve(response.resume().statusCode));
    call.once("error", reject).end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  });
}

it("ends when its standard input is closed, and writes nothing but the protocol", async () => {
  const env = { GANTRY_URL: live.url, GANTRY_TOKEN: live.owner.token };
  expect(await gantry.run(["mcp"], { env })).toEqual({ code: 0, out: "", err: "" });
});
