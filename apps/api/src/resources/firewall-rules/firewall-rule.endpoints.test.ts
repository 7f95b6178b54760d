import type { Environment, Firewall, Provider } from "@gantry/db";
import {
  countRows,
  createCaller,
  createEnvironment,
  createFirewall,
  createProvider,
  createServer,
  OTHER_REGION,
  startTestApi,
  type TestApi,
  type TestCaller,
} from "@gantry/test/support/api";
import { afterAll, beforeAll, expect, it } from "@jest/globals";

let api: TestApi;
let owner: TestCaller;
let provider: Provider;
let environment: Environment;
let firewall: Firewall;

beforeAll(async () => {
  api = await startTestApi();
  owner = await createCaller(api);
  provider = await createProvider(api.db, owner.accountId);
  environment = await createEnvironment(api.db, provider);
  firewall = await createFirewall(api.db, environment);
});
afterAll(() => api.close());

const ask = (rule?: object, on: Firewall = firewall, by = owner) =>
  by.post(`/firewalls/${on.id}/rules`, rule && { firewall_rule: rule });
const newFirewall = async (changes: object = {}) =>
  createFirewall(api.db, await createEnvironment(api.db, provider), changes);

it("lets a firewall's own members in on every TCP port unless told otherwise, and closes that once", async () => {
  const { status, body } = await ask();
  expect([status, body.request.type]).toEqual([200, "provision_firewall_rule"]);
  const path = new URL(body.request.resource).pathname;
  expect(path).toMatch(/^\/firewall-rules\/\d+$/);
  const link = `http://gantry.test/firewalls/${firewall.id}`;
  expect((await owner.get(path)).body.firewall_rule).toMatchObject({
    source: String(firewall.id),
    port_range: "0-65535",
    protocol: "tcp",
    firewall: link,
    source_firewall: link,
    provisioned_id: null,
  });
  const removed = await owner.delete(path);
  expect(removed.body.request).toMatchObject({ type: "deprovision_firewall_rule", resource: body.request.resource });
  expect((await owner.delete(path)).status).toBe(409);
});

it.each([
  ["a block", { source: "192.0.2.0/24", port_range: "22" }, { source: "192.0.2.0/24", port_range: "22" }],
  ["one address", { source: "192.0.2.7/32" }, { source: "192.0.2.7/32" }],
  ["a block of IPv6", { source: "2001:db8::/32", port_range: "22" }, { source: "2001:db8::/32" }],
  [
    "a range of one port",
    { source: "10.0.0.0/8", port_range: "53-53", protocol: "udp" },
    { port_range: "53", protocol: "udp" },
  ],
  ["the whole internet to the web", { source: "0.0.0.0/0", port_range: "443" }, { source: "0.0.0.0/0" }],
])("opens to %s", async (_name, rule, shown) => {
  const { body } = await ask(rule);
  expect((await owner.get(new URL(body.request.resource).pathname)).body.firewall_rule).toMatchObject(shown);
});

it.each([
  [
    "a block that is not canonical",
    { source: "10.0.0.1/8" },
    "firewall_rule.source: is not canonical: 10.0.0.0/8 is the block that holds it",
  ],
  ["a block of IPv6 that is not canonical", { source: "2001:DB8::1/32" }, /is not canonical: 2001:db8::\/32/],
  ["an address without a mask", { source: "10.0.0.1" }, /must be a firewall's id or a CIDR block/],
  ["no block at all", { source: "everybody" }, /must be a firewall's id or a CIDR block/],
  [
    "ports that end before they begin",
    { port_range: "90-80" },
    "firewall_rule.port_range: begins after its end: 90 is more than 80",
  ],
  ["a port beyond the last", { port_range: "65536" }, "firewall_rule.port_range: the last port is 65535"],
  ["a port that is none", { port_range: "ssh" }, /must be a port or a range/],
  ["another protocol", { protocol: "icmp" }, /firewall_rule.protocol/],
  ["what is not a parameter", { egress: true }, "found unpermitted parameters: firewall_rule.egress"],
])("refuses %s and makes nothing", async (_name, rule, sentence) => {
  const before = await countRows(api.db);
  const { status, body } = await ask(rule);
  expect(status).toBe(422);
  expect(body.errors).toEqual([typeof sentence === "string" ? sentence : expect.stringMatching(sentence)]);
  expect(await countRows(api.db)).toEqual(before);
});

it.each(["0.0.0.0/0", "::/0"])("lets only administrators open more than the web to %s", async (source) => {
  const { accountId } = owner;
  const on = await newFirewall();
  const member = await createCaller(api, { accountId, role: "member" });
  const narrow = await createCaller(api, { accountId, scopes: ["read", "write"] });
  const before = await countRows(api.db);
  for (const by of [member, narrow]) {
    for (const port_range of ["22", "80-443", "0-65535"]) {
      expect((await ask({ source, port_range }, on, by)).status).toBe(403);
    }
  }
  expect(await countRows(api.db)).toEqual(before);
  expect((await ask({ source, port_range: "80" }, on, member)).status).toBe(200);
  expect((await ask({ source, port_range: "22" }, on)).status).toBe(200);
});

it("makes one of two equal rules, also when they come at once", async () => {
  const on = await newFirewall();
  const rule = { source: "198.51.100.0/24", port_range: "22" };
  const answers = await Promise.all([ask(rule, on), ask(rule, on), ask(rule, on)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  const { id } = await api.db.firewallRule.findFirstOrThrow({ where: { firewallId: on.id } });
  expect((await ask(rule, on)).body.errors).toEqual([`the firewall ${on.id} has this rule already: ${id}`]);
  await api.db.firewallRule.update({ where: { id }, data: { deletedAt: new Date() } });
  expect((await ask(rule, on)).status).toBe(200);
});

it("lets the members of another firewall in, where it is of the same account and network", async () => {
  const other = await newFirewall();
  for (const source of [other.id, String(other.id)]) {
    const { body } = await ask({ source, port_range: source === other.id ? "22" : "23" });
    const { firewall_rule: rule } = (await owner.get(new URL(body.request.resource).pathname)).body;
    expect(rule).toMatchObject({
      source: String(other.id),
      source_firewall: `http://gantry.test/firewalls/${other.id}`,
    });
  }
  const elsewhere = await newFirewall({ vpcProvisionedId: "vpc-2" });
  const sentence = `firewall_rule.source: the firewall ${elsewhere.id} is not in the same network as firewall ${firewall.id}`;
  expect((await ask({ source: elsewhere.id })).body.errors).toEqual([sentence]);
  expect((await ask({ source: (await newFirewall({ region: OTHER_REGION })).id })).status).toBe(422);
  const planned = await newFirewall({ provisionedId: null });
  expect((await ask({ source: planned.id })).body.errors).toEqual([
    `the firewall ${planned.id} is not provisioned yet`,
  ]);
});

it("knows no firewall or rule of another account, wherever it is named", async () => {
  const stranger = await createCaller(api);
  const theirs = await createProvider(api.db, stranger.accountId);
  const foreign = await createFirewall(api.db, await createEnvironment(api.db, theirs));
  const rule = await api.db.firewallRule.create({
    data: {
      accountId: owner.accountId,
      firewallId: firewall.id,
      source: "203.0.113.0/24",
      portRange: "1",
      protocol: "tcp",
    },
  });
  expect((await ask({ source: foreign.id })).status).toBe(404);
  expect((await ask({}, firewall, stranger)).status).toBe(404);
  expect((await stranger.delete(`/firewall-rules/${rule.id}`)).status).toBe(404);
  expect((await stranger.get(`/firewall-rules?firewall=${firewall.id}`)).status).toBe(404);
  for (const path of [
    `/firewalls/${firewall.id}`,
    `/firewalls/${firewall.id}/rules`,
    `/environments/${environment.id}/firewalls`,
  ]) {
    expect((await stranger.get(path)).status).toBe(404);
  }
  expect((await stranger.get("/firewall-rules")).body.firewall_rules).toEqual([]);
  // Who is in both accounts cannot join them either.
  const both = await createCaller(api, { staff: true });
  expect((await ask({ source: foreign.id }, firewall, both)).status).toBe(422);
});

it("opens nothing that does not exist yet, was deleted or is about to go", async () => {
  const planned = await newFirewall({ provisionedId: null });
  expect((await ask({}, planned)).body.errors).toEqual([`the firewall ${planned.id} is not provisioned yet`]);
  const gone = await newFirewall({ deletedAt: new Date() });
  expect((await ask({}, gone)).body.errors).toEqual([`the firewall ${gone.id} was deleted`]);
  const going = await newFirewall();
  const { body } = await owner.post(`/environments/${going.environmentId}/deprovision`);
  expect((await ask({}, going)).body.errors).toEqual([
    `the environment ${going.environmentId} has an open request: deprovision_environment ${body.request.id}`,
  ]);
});

it("shows the firewalls of an environment and of its servers, and rules by what they say", async () => {
  const server = await createServer(api.db, environment);
  const ids = async (path: string) => (await owner.get(path)).body.firewalls.map(({ id }: { id: number }) => id);
  expect(await ids(`/environments/${environment.id}/firewalls`)).toEqual([firewall.id]);
  expect(await ids(`/servers/${server.id}/firewalls`)).toEqual([firewall.id]);
  expect(await ids(`/firewalls?provisioned_id=${firewall.provisionedId}`)).toEqual([firewall.id]);
  const { firewall_rules: rules } = (await owner.get(`/firewalls/${firewall.id}/rules?port_range=53&source=10.0.0.0/8`))
    .body;
  expect(rules).toHaveLength(1);
  expect((await owner.get(`/firewall-rules?firewall=${firewall.id}&port_range=53`)).body.firewall_rules).toEqual(rules);
});
