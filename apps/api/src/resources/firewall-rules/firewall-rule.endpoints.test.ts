import type { Firewall } from "@gantry/db";
import {
  countRows,
  createCaller,
  createEnvironment,
  createFirewall,
  createServer,
  OTHER_REGION,
} from "@gantry/test/support/api";
import { endRequest, expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { until } from "@gantry/test/support/until";

const { api, db, owner, provider } = await startApiTest();
const environment = await createEnvironment(db, provider);
const firewall = await createFirewall(db, environment);

const send = (rule?: object, on: Firewall = firewall, by = owner) =>
  by.post(`/firewalls/${on.id}/rules`, rule && { firewall_rule: rule });
const newFirewall = async (changes: object = {}) => createFirewall(db, await createEnvironment(db, provider), changes);

it("allows a firewall's own members in on every TCP port by default, and removes the rule once", async () => {
  const { status, body } = await send();
  expect([status, body.request.type]).toEqual([200, "provision_firewall_rule"]);
  const path = resourcePath(body);
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
  ["HTTPS from the whole internet", { source: "0.0.0.0/0", port_range: "443" }, { source: "0.0.0.0/0" }],
])("accepts a rule for %s", async (_name, rule, shown) => {
  const { body } = await send(rule);
  expect((await owner.get(resourcePath(body))).body.firewall_rule).toMatchObject(shown);
});

it.each([
  [
    "a block that is not canonical",
    { source: "10.0.0.1/8" },
    "firewall_rule.source: has bits set beyond its prefix; use 10.0.0.0/8",
  ],
  [
    "a block of IPv6 that is not canonical",
    { source: "2001:DB8::1/32" },
    /has bits set beyond its prefix; use 2001:db8::\/32/,
  ],
  ["an address without a mask", { source: "10.0.0.1" }, /must be a firewall's id or URL, or a CIDR block/],
  ["no block at all", { source: "everybody" }, /must be a firewall's id or URL, or a CIDR block/],
  [
    "ports that end before they begin",
    { port_range: "90-80" },
    "firewall_rule.port_range: must not start after its end: 90 is greater than 80",
  ],
  ["a port beyond the last", { port_range: "65536" }, "firewall_rule.port_range: must not exceed port 65535"],
  ["a port that is none", { port_range: "ssh" }, /must be a port or a range/],
])("refuses %s and writes nothing", async (_name, rule, sentence) => {
  await expectRefusal(db, () => send(rule), sentence);
});

it.each([
  ...["0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1", "10.0.0.0/7"],
  ...["::/0", "::/1", "8000::/1", "2000::/3", "2001:db8::/31"],
])("allows only administrators to open more than HTTP and HTTPS to %s", async (source) => {
  const { accountId } = owner;
  const on = await newFirewall();
  const member = await createCaller(api, { accountId, role: "member" });
  const narrow = await createCaller(api, { accountId, scopes: ["read", "write"] });
  const before = await countRows(db);
  for (const by of [member, narrow]) {
    for (const port_range of ["22", "80-443", "0-65535"]) {
      expect((await send({ source, port_range }, on, by)).status).toBe(403);
    }
  }
  expect(await countRows(db)).toEqual(before);
  expect((await send({ source, port_range: "80" }, on, member)).status).toBe(200);
  expect((await send({ source, port_range: "22" }, on)).status).toBe(200);
});

it("accepts for all servers what is allowed for application servers, which is another security group", async () => {
  const on = await newFirewall({ webGroupId: "sg-web" });
  const rule = { source: "0.0.0.0/0", portRange: "80", protocol: "tcp" };
  const { accountId, id: firewallId } = on;
  await db.firewallRule.create({ data: { accountId, firewallId, ...rule, applicationOnly: true } });
  const sent = { source: rule.source, port_range: rule.portRange };
  const { status, body } = await send(sent, on);
  expect([status, body.errors]).toEqual([200, undefined]);
  const shown = (await owner.get(resourcePath(body))).body.firewall_rule;
  expect([shown.application_only, (await send(sent, on)).status]).toEqual([false, 409]);
});

it("allows the members of another firewall of the same account and network in", async () => {
  const other = await newFirewall();
  const forms = [other.id, String(other.id), `http://gantry.test/firewalls/${other.id}`];
  for (const [i, source] of forms.entries()) {
    const { body } = await send({ source, port_range: `${22 + i}` });
    const { firewall_rule: rule } = (await owner.get(resourcePath(body))).body;
    expect(rule).toMatchObject({
      source: String(other.id),
      source_firewall: `http://gantry.test/firewalls/${other.id}`,
    });
  }
  const elsewhere = await newFirewall({ vpcProvisionedId: "vpc-2" });
  const sentence = `firewall_rule.source: firewall ${elsewhere.id} is not in the same network as firewall ${firewall.id}`;
  expect((await send({ source: elsewhere.id })).body.errors).toEqual([sentence]);
  expect((await send({ source: (await newFirewall({ region: OTHER_REGION })).id })).status).toBe(422);
  const planned = await newFirewall({ provisionedId: null });
  expect((await send({ source: planned.id })).body.errors).toEqual([`firewall ${planned.id} is not provisioned yet`]);
});

it("refuses rules of a firewall that is not provisioned", async () => {
  const planned = await newFirewall({ provisionedId: null });
  expect((await send({}, planned)).body.errors).toEqual([`firewall ${planned.id} is not provisioned yet`]);
});

it("lists the firewalls of a server", async () => {
  const server = await createServer(db, environment);
  const ids = async (path: string) => (await owner.get(path)).body.firewalls.map(({ id }: { id: number }) => id);
  expect(await ids(`/servers/${server.id}/firewalls`)).toEqual([firewall.id]);
});

describe("a change in place", () => {
  const rows = { block: "192.0.2.0/24", ipv6: "2001:db8::/32" };
  const modify = (id: number, rule: object, { by = owner, query = "" } = {}) =>
    by.post(`/firewall-rules/${id}/modify${query}`, { firewall_rule: rule });
  const newRule = (on: Firewall, values: object = {}) => {
    const { accountId, id: firewallId } = on;
    const row = { source: rows.block, portRange: "22", protocol: "tcp", provisionedId: "sgr-1", ...values };
    return db.firewallRule.create({ data: { accountId, firewallId, ...row } });
  };

  it("says in a dry run that the rule stays, and changes nothing", async () => {
    const { id } = await newRule(await newFirewall());
    const { status, body } = await modify(id, { source: "192.0.2.7/32", port_range: "22" }, { query: "?dry_run=true" });
    const change = { field: "source", from: rows.block, to: "192.0.2.7/32", away_seconds: null };
    expect([status, body.plan.changes]).toEqual([
      200,
      [{ ...change, effect: expect.stringContaining("no moment without it"), undo: "Change the source back." }],
    ]);
    expect(body.plan).not.toHaveProperty("estimate");
    expect(await db.request.count({ where: { type: "modify_firewall_rule" } })).toBe(0);
  });

  it("asks only for what changes, and shows it once AWS has accepted it", async () => {
    const { id } = await newRule(await newFirewall());
    const { body } = await modify(id, { source: rows.block, port_range: "2200-2200", protocol: "udp" });
    const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
    expect(input).toEqual({ portRange: "2200", protocol: "udp" });
    expect((await owner.get(`/firewall-rules/${id}`)).body.firewall_rule.port_range).toBe("22");
    const second = await modify(id, { port_range: "23" });
    expect([second.status, second.body.blocking]).toEqual([409, [expect.stringContaining(body.request.id)]]);
  });

  it.each([
    [
      "what it has already",
      { port_range: "22" },
      "firewall_rule: names no change: source, port_range, protocol are as",
    ],
    ["nothing", {}, "firewall_rule: names no change"],
    [
      "a block of IPv6",
      { source: rows.ipv6 },
      "firewall_rule.source: AWS does not change a source from a block of IPv4",
    ],
  ])("refuses %s and writes nothing", async (_name, rule, sentence) => {
    const { id } = await newRule(await newFirewall());
    await expectRefusal(db, () => modify(id, rule), new RegExp(`^${sentence}`));
  });

  it("refuses a firewall in place of a block, and names the two calls that have no gap", async () => {
    const on = await newFirewall();
    const { id } = await newRule(on);
    const { status, body } = await modify(id, { source: on.id });
    const instead = `allow the new source by POST /firewalls/${on.id}/rules, then remove this rule`;
    expect([status, body.errors]).toEqual([422, [expect.stringContaining(`to a firewall; ${instead}`)]]);
  });

  it("refuses what another rule has, will have or is about to be given, and names that rule", async () => {
    const on = await newFirewall();
    const [first, second] = [await newRule(on), await newRule(on, { portRange: "23" })];
    const equal = await modify(second.id, { port_range: "22" });
    expect([equal.status, equal.body.blocking]).toEqual([409, [`http://gantry.test/firewall-rules/${first.id}`]]);
    const { body } = await modify(first.id, { port_range: "24" });
    const taken = `firewall ${on.id} is about to have this rule: ${first.id}`;
    const blocking = [`http://gantry.test/requests/${body.request.id}`];
    for (const refused of [
      await modify(second.id, { port_range: "24" }),
      await send({ source: rows.block, port_range: "24" }, on),
    ])
      expect([refused.status, refused.body]).toMatchObject([409, { errors: [taken], blocking }]);
    await endRequest(db, body.request.id, false);
    expect((await send({ source: rows.block, port_range: "24" }, on)).status).toBe(200);
    expect((await modify(first.id, { port_range: "24" })).status).toBe(409);
    const retried = await owner.post(`/requests/${body.request.id}/retry`);
    expect([retried.status, retried.body.errors]).toEqual([409, [expect.stringContaining("already has this rule")]]);
  });

  it("accepts one of several concurrent changes and additions that would be equal", async () => {
    const on = await newFirewall();
    const rules = await Promise.all(["23", "24", "25"].map((portRange) => newRule(on, { portRange })));
    const answers = await Promise.all([
      ...rules.map(({ id }) => modify(id, { port_range: "22" })),
      send({ source: rows.block, port_range: "22" }, on),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  it("locks firewalls in the order of their ids, so that two that name each other do not deadlock", async () => {
    const [one, other, third] = [await newFirewall(), await newFirewall(), await newFirewall()];
    const { id } = await newRule(other, { source: String(third.id), sourceFirewallId: third.id });
    const { changing } = await db.$transaction(async (holder) => {
      await holder.$queryRaw`SELECT id FROM firewalls WHERE id = ${one.id} FOR UPDATE`;
      const changing = modify(id, { source: one.id }).then((answer) => answer);
      await until(async () => {
        const blocked = await db.$queryRaw<unknown[]>`
          SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return blocked.length > 0;
      });
      await holder.$queryRaw`SELECT id FROM firewalls WHERE id = ${other.id} FOR UPDATE NOWAIT`;
      return { changing };
    });
    const { status, body } = await changing;
    expect([status, body.errors]).toEqual([200, undefined]);
  });

  it("lets only administrators open more of the internet, and does not modify a rule that AWS does not have", async () => {
    const on = await newFirewall();
    const { id } = await newRule(on);
    const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
    expect((await modify(id, { source: "0.0.0.0/0" }, { by: member })).status).toBe(403);
    expect((await modify(id, { source: "198.51.100.0/24" }, { by: member })).status).toBe(200);
    const planned = await newRule(on, { portRange: "23", provisionedId: null });
    expect((await modify(planned.id, { port_range: "24" })).status).toBe(409);
    const gone = await newRule(on, { portRange: "25", deletedAt: new Date() });
    expect((await modify(gone.id, { port_range: "26" })).status).toBe(409);
  });
});
