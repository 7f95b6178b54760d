import { randomUUID } from "node:crypto";
import { createRequest } from "@gantry/requests";
import { REQUEST_STATES, type RequestType } from "@gantry/resources";
import {
  createCaller,
  createEnvironment,
  createNetwork,
  createProvider,
  createServer,
  REGION,
  startTestApi,
} from "@gantry/test/support/api";
import { idsIn, startApiTest } from "@gantry/test/support/api-test";
import { RETRY_RULES } from "../retries/retry.rules.js";

const { api, db, owner, provider } = await startApiTest();
const other = await createCaller(api);
beforeEach(() => void api.jobs.ids.splice(0));

async function acceptNetwork(): Promise<{ id: string; networkId: string }> {
  const attributes = { provider: provider.id, network: { cidr: "10.0.0.0/16", location: REGION } };
  const { request } = (await owner.post("/networks", attributes)).body;
  return { id: request.id, networkId: request.resource.split("/").at(-1) };
}

/** Ends a Request as a worker does. */
async function end(id: string, outcome: { successful: boolean; message?: string }): Promise<void> {
  const at = new Date();
  await db.request.update({ where: { id }, data: { startedAt: at, finishedAt: at, stage: "create", ...outcome } });
  await db.$executeRaw`SELECT pg_notify('request_finished', ${id})`;
}

const statusOf = async (id: string) => (await owner.get(`/requests/${id}`)).body.request.request_status;

it("describes a request's progress in words", async () => {
  const { id } = await acceptNetwork();
  expect(await statusOf(id)).toBe(`Pending: Provision network (${id})`);
  await db.request.update({ where: { id }, data: { startedAt: new Date() } });
  expect(await statusOf(id)).toBe(`In progress: Provision network (${id})`);
  await db.request.update({ where: { id }, data: { waitingFor: "the VPC" } });
  expect(await statusOf(id)).toBe(`Waiting: Provision network (${id}). Waiting for the VPC`);
  await end(id, { successful: true });
  expect(await statusOf(id)).toBe(`Finished: Provision network (${id}) (less than a minute ago)`);
  await db.request.update({ where: { id }, data: { finishedAt: new Date(Date.now() - 7_300_000) } });
  expect(await statusOf(id)).toBe(`Finished: Provision network (${id}) (2 hours ago)`);
  await end(id, { successful: false, message: "no more VPCs" });
  expect(await statusOf(id)).toBe(`Failed: Provision network (${id}). Error: no more VPCs`);
});

it("shows no status and no links of quiet types", async () => {
  const id = randomUUID();
  const quiet = {
    id,
    accountId: owner.accountId,
    type: "instance_update",
    input: {},
    traceId: "",
    deadlineAt: new Date(),
  };
  await db.request.create({ data: quiet });
  const { request } = (await owner.get(`/requests/${id}`)).body;
  expect(request).not.toHaveProperty("request_status");
  expect(request).toMatchObject({
    dependencies: null,
    stages: null,
    resource: false,
    requester: "http://gantry.test/automation",
  });
});

it("shows who created a request", async () => {
  const { id } = await acceptNetwork();
  const requestedBy = async (of: string) => (await owner.get(`/requests/${of}`)).body.request.requested_by;
  expect(await requestedBy(id)).toEqual({ type: "user", id: owner.userId });
  const by = { type: "provision_subnet", accountId: owner.accountId, input: {}, traceId: "", deadlineAt: new Date() };
  const [child, automatic] = [randomUUID(), randomUUID()];
  await db.request.createMany({
    data: [
      { ...by, id: child, parentId: id },
      { ...by, id: automatic },
    ],
  });
  expect(await requestedBy(child)).toEqual({ type: "parent", id });
  expect(await requestedBy(automatic)).toEqual({ type: "automation", id: null });
});

it("lists the ledger of a request in the order of creation, to callers who see the request", async () => {
  const { id, networkId } = await acceptNetwork();
  const row = { requestId: id, accountId: owner.accountId, providerId: provider.id, region: REGION };
  const object = { ...row, resourceType: "network", resourceId: networkId, key: "", params: { secret: "s3cret" } };
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
  await db.cloudObject.createMany({
    data: [
      { ...object, id: randomUUID(), kind: "subnet", attemptedAt: new Date(0), createdAt: at(3) },
      {
        ...object,
        id: randomUUID(),
        kind: "vpc",
        cloudId: "vpc-1",
        attemptedAt: at(2),
        createdAt: at(1),
        readyAt: at(4),
      },
    ],
  });
  const { body, headers } = await owner.get(`/requests/${id}/cloud-objects`);
  const shown = { key: "", region: REGION, ready_at: null, removed_at: null };
  const time = (second: number) => `2026-01-01T00:00:0${second}+00:00`;
  const vpc = { ...shown, kind: "vpc", id: "vpc-1", attempted_at: time(2), created_at: time(1), ready_at: time(4) };
  const subnet = { ...shown, kind: "subnet", id: null, attempted_at: null, created_at: time(3) };
  expect([body.cloud_objects, headers["x-total-count"]]).toEqual([[vpc, subnet], "2"]);
  const page = await owner.get(`/requests/${id}/cloud-objects?per_page=1`);
  expect(page.body.cloud_objects).toEqual([vpc]);
  expect((await other.get(`/requests/${id}/cloud-objects`)).status).toBe(404);
});

it("describes each type of request as its records and retries behave", async () => {
  const { request_types: types } = (await other.get("/request-types")).body;
  const names = types.map(({ name }: { name: string }) => name);
  expect(names).toEqual(Object.keys(RETRY_RULES).sort());
  expect(types.find(({ name }: { name: string }) => name === "provision_server")).toEqual({
    name: "provision_server",
    title: "Provision server",
    stages: ["server.prepare", "server.launch", "server.attach", "server.bootstrapped"],
    can_cancel: true,
    instead_of_retry: null,
  });
  const refused = types.filter((type: { instead_of_retry: unknown }) => type.instead_of_retry !== null);
  expect(refused.map(({ name }: { name: string }) => name)).toEqual(
    names.filter((name: RequestType) => !RETRY_RULES[name]),
  );
});

it("answers a long poll at the end of the request", async () => {
  const { id } = await acceptNetwork();
  const started = Date.now();
  const waiting = owner.get(`/requests/${id}?wait=60`).then((answer) => answer);
  const early = owner.get(`/requests/${id}?wait=0.05`).then(({ body }) => body.request.finished_at);
  expect(await early).toBeNull();
  await end(id, { successful: true });
  expect((await waiting).body.request.successful).toBe(true);
  expect(Date.now() - started).toBeLessThan(60_000);
  expect((await owner.get(`/requests/${id}?wait=61`)).status).toBe(422);
});

it("ends long polls when the process shuts down", async () => {
  const other = await startTestApi();
  const caller = await createCaller(other);
  const { id: providerId } = await createProvider(other.db, caller.accountId);
  const attributes = { provider: providerId, network: { cidr: "10.0.0.0/16", location: REGION } };
  const { request } = (await caller.post("/networks", attributes)).body;
  const waiting = caller.get(`/requests/${request.id}?wait=60`).then(({ status }) => status);
  await other.stop();
  expect(await waiting).toBe(200);
  await other.close();
});

it("lists requests by activity, type, requester and account", async () => {
  const { id } = await acceptNetwork();
  await end(id, { successful: true });
  const ids = async (query: string) =>
    (await owner.get(`/accounts/${owner.accountId}/requests?per_page=100&${query}`)).body.requests.map(
      (r: { id: string }) => r.id,
    );
  expect(await ids("active=true")).not.toContain(id);
  expect(await ids("finished_at")).not.toContain(id);
  expect(await ids("type=provision_network")).toContain(id);
  expect(await ids("type=deprovision_subnet")).toEqual([]);
  expect(await ids(`requester=${owner.userId}`)).toContain(id);
  expect(await ids(`requester=${id}`)).toEqual([]);
  expect((await owner.get("/requests?type=boil_water")).status).toBe(422);
  const mine = await owner.get(`/users/${owner.userId}/requests?account=${owner.accountId}&active=false`);
  expect(mine.body.requests.length).toBeGreaterThan(0);
});

it("cancels a request with its children, and wakes each", async () => {
  const { id } = await acceptNetwork();
  const childId = randomUUID();
  const child = {
    id: childId,
    parentId: id,
    accountId: owner.accountId,
    type: "provision_subnet",
    input: {},
    traceId: "",
  };
  await db.request.create({ data: { ...child, deadlineAt: new Date() } });
  const removal = { ...child, id: randomUUID(), type: "deprovision_subnet", deadlineAt: new Date() };
  await db.request.create({ data: removal });
  api.jobs.ids.splice(0);
  const { status, body } = await owner.post(`/requests/${id}/cancel`);
  expect([status, body.request.id, body.request.finished_at]).toEqual([200, id, null]);
  expect(new Set(api.jobs.ids)).toEqual(new Set([id, childId]));
  expect((await db.request.findUnique({ where: { id: childId } }))?.cancelRequestedAt).not.toBeNull();
  // By a removal, the Request may undo its work.
  expect((await db.request.findUnique({ where: { id: removal.id } }))?.cancelRequestedAt).toBeNull();
  await end(id, { successful: false, message: "cancelled" });
  expect(await statusOf(id)).toBe(`Cancelled: Provision network (${id})`);
  expect((await owner.post(`/requests/${id}/cancel`)).status).toBe(409);
});

it("refuses to cancel a request that cannot be compensated", async () => {
  const { id } = await createNetwork(db, provider);
  const { request } = (await owner.delete(`/networks/${id}`)).body;
  const { status, body } = await owner.post(`/requests/${request.id}/cancel`);
  expect([status, body.errors]).toEqual([409, ["a request of type deprovision_network cannot be cancelled"]]);
});

const typesWithRules = Object.keys(RETRY_RULES) as RequestType[];
// The last one is of the specification, and Gantry has no workflow of it.
it.each([...typesWithRules, "volume_track" as const])(
  "shows whether a Request can be cancelled or retried: %s",
  async (type) => {
    const create = async (facts: object = {}) => {
      const of = { accountId: other.accountId, type, input: {}, traceId: "", deadlineAt: new Date() };
      const on = { resourceType: "network", resourceId: randomUUID() };
      return (await db.request.create({ data: { id: randomUUID(), ...of, ...on, ...facts } })).id;
    };
    const show = async (id: string) => (await other.get(`/requests/${id}`)).body.request;
    const id = await create();
    const unfinished = await show(id);
    const { status } = await other.post(`/requests/${id}/cancel`);
    expect(unfinished).toMatchObject({ parent: null, can_cancel: status === 200, can_retry: false });
    expect(await show(id)).toMatchObject({ can_cancel: false, can_retry: false });
    await end(id, { successful: false, message: "no more VPCs" });
    const isRetriable = type !== "volume_track" && RETRY_RULES[type] !== null;
    expect(await show(id)).toMatchObject({ can_cancel: false, can_retry: isRetriable });
    await end(id, { successful: true });
    expect(await show(id)).toMatchObject({ can_cancel: false, can_retry: false });
    const child = await create({ parentId: id, startedAt: new Date(), finishedAt: new Date() });
    expect(await show(child)).toMatchObject({ parent: `http://gantry.test/requests/${id}`, can_retry: false });
  },
);

it("retries a failed provision once, and restores its resource", async () => {
  const { id, networkId } = await acceptNetwork();
  expect((await owner.post(`/requests/${id}/retry`)).body.errors).toEqual([`request ${id} has not failed`]);
  await end(id, { successful: false, message: "no more VPCs" });
  await db.network.update({ where: { id: networkId }, data: { deletedAt: new Date() } });
  const answers = await Promise.all(Array.from({ length: 6 }, () => owner.post(`/requests/${id}/retry`)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  const { request } = answers.find(({ status }) => status === 200)?.body ?? {};
  expect(request).toMatchObject({ type: "provision_network", resource: `http://gantry.test/networks/${networkId}` });
  expect(await db.network.findUnique({ where: { id: networkId } })).toMatchObject({ deletedAt: null });
  const [first, again] = await db.request.findMany({ where: { resourceId: networkId }, orderBy: { seq: "asc" } });
  expect(again?.input).toEqual(first?.input);
});

it("refuses to retry the removal of a deleted resource", async () => {
  const { id } = await createNetwork(db, provider);
  const { request } = (await owner.delete(`/networks/${id}`)).body;
  await end(request.id, { successful: false, message: "denied" });
  await db.network.update({ where: { id }, data: { deletedAt: new Date() } });
  expect((await owner.post(`/requests/${request.id}/retry`)).body.errors).toEqual([`network ${id} no longer exists`]);
  await db.network.update({ where: { id }, data: { deletedAt: null } });
  expect((await owner.post(`/requests/${request.id}/retry`)).status).toBe(200);
});

it("refuses to retry a provision while what it needs is being removed", async () => {
  const environment = await createEnvironment(db, provider);
  const { accountId } = environment;
  const { id } = await createServer(db, environment, { deletedAt: new Date() });
  const resource = { type: "server", id } as const;
  const traceId = randomUUID().replaceAll("-", "");
  const failed = await createRequest(db, {
    type: "provision_server",
    accountId,
    resource,
    input: { addressId: null },
    traceId,
  });
  await end(failed.id, { successful: false });
  const removal = (await owner.delete(`/environments/${environment.id}`)).body.request;
  const { status, body } = await owner.post(`/requests/${failed.id}/retry`);
  expect([status, body.blocking]).toEqual([409, [`http://gantry.test/requests/${removal.id}`]]);
});

it("lists the objects that a request leaked", async () => {
  const { id } = await acceptNetwork();
  const leakedResources = [
    { kind: "vpc", id: "vpc-1", region: REGION },
    // An object of an interrupted call has no known id.
    { kind: "subnet", id: null, region: REGION },
  ];
  const leakRetryAt = new Date("2026-01-02T03:04:05Z");
  await db.request.update({ where: { id }, data: { leakedResources, leakRetries: 2, leakRetryAt } });
  const shown = leakedResources.map((left) => ({ ...left, retries: 2, retry_at: "2026-01-02T03:04:05+00:00" }));
  expect((await owner.get(`/requests/${id}/leaked-resources`)).body).toEqual({ leaked_resources: shown });
  const all = (await owner.get(`/accounts/${owner.accountId}/leaked-resources`)).body.leaked_resources;
  expect(all).toEqual(shown.map((left) => ({ ...left, request: `http://gantry.test/requests/${id}` })));
});

describe("what a failed request left in AWS", () => {
  const leakedResources = [{ kind: "vpc", id: "vpc-1", region: REGION }];
  async function leakingNetwork() {
    const { id, networkId } = await acceptNetwork();
    await end(id, { successful: false });
    await db.request.update({ where: { id }, data: { leakedResources } });
    await db.network.update({ where: { id: networkId }, data: { deletedAt: new Date() } });
    return { id, networkId };
  }

  it("is removed on request, once at a time, and only if something was left", async () => {
    const { id, networkId } = await leakingNetwork();
    const { status, body } = await owner.post(`/requests/${id}/leaked-resources/retry`);
    const subject = { type: "network", id: networkId, url: `http://gantry.test/networks/${networkId}` };
    expect(status).toBe(200);
    expect(body.request).toMatchObject({ type: "remove_leaked_resources", state: "pending", subject });
    const again = await owner.post(`/requests/${id}/leaked-resources/retry`);
    expect([again.status, again.body.blocking]).toEqual([409, [`http://gantry.test/requests/${body.request.id}`]]);
    const { id: other } = await acceptNetwork();
    const refused = await owner.post(`/requests/${other}/leaked-resources/retry`);
    expect([refused.status, refused.body.errors]).toEqual([409, [`request ${other} left nothing behind`]]);
  });

  it("is removed by a DELETE of its record, even if the record is already deleted", async () => {
    const { id, networkId } = await leakingNetwork();
    const path = `/networks/${networkId}`;
    expect((await owner.delete(`${path}?dry_run=true`)).body.plan.requests).toEqual(["remove_leaked_resources"]);
    const { status, body } = await owner.delete(path);
    expect([status, body.request.type]).toEqual([200, "remove_leaked_resources"]);
    expect((await owner.delete(path)).status).toBe(409);
    await end(body.request.id, { successful: true });
    await db.request.update({ where: { id }, data: { leakedResources: [] } });
    const refused = await owner.delete(path);
    expect([refused.status, refused.body.errors]).toEqual([409, [`network ${networkId} was already deleted`]]);
  });
});

it("refuses several wrong filters concurrently, and keeps running", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const { status } = await owner.get(`/requests?parent=${randomUUID()}&requester=AAA`);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect([status, unhandled]).toEqual([404, []]);
});

it("ends a long poll without the Request if the user was removed from the account or the token was revoked", async () => {
  const { id } = await acceptNetwork();
  const member = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  const reader = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  const polls = [member, reader].map(({ get }) => get(`/requests/${id}?wait=30`).then(({ status }) => status));
  const membership = await db.membership.findFirstOrThrow({ where: { userId: member.userId } });
  await owner.delete(`/memberships/${membership.id}`);
  const [token] = (await reader.get("/tokens")).body.tokens;
  const revoker = await createCaller(api, { accountId: owner.accountId });
  await db.token.update({ where: { id: token.id }, data: { deletedAt: new Date() } });
  await revoker.get("/users/current");
  expect(await Promise.all(polls)).toEqual([404, 401]);
});

describe("a program that follows Requests", () => {
  const now = new Date();
  const moments = [null, now];
  /** Each combination of what decides on a state, as far as workers write it. */
  const rows = moments.flatMap((startedAt) =>
    moments.flatMap((finishedAt) =>
      moments.flatMap((cancelRequestedAt) =>
        moments.flatMap((rollingBackSince) =>
          [true, false].flatMap((successful) =>
            [0, 2].flatMap((awaitedChildren) =>
              [null, "", "the VPC"].map((waitingFor) => ({
                startedAt,
                finishedAt,
                cancelRequestedAt,
                rollingBackSince,
                successful,
                awaitedChildren,
                waitingFor,
              })),
            ),
          ),
        ),
      ),
    ),
  );

  it("finds them by the state that they show, regardless of its cause", async () => {
    const caller = await createCaller(api);
    const of = { accountId: caller.accountId, type: "provision_network", input: {}, traceId: "", deadlineAt: now };
    await db.request.createMany({ data: rows.map((row) => ({ id: randomUUID(), ...of, ...row })) });
    const counts: Record<string, number> = {};
    for (const state of REQUEST_STATES) {
      let page: string | undefined = `/requests?state=${state}&per_page=100`;
      while (page) {
        const { body, links } = await caller.get(page);
        expect(body.requests.filter((request: { state: string }) => request.state !== state)).toEqual([]);
        counts[state] = (counts[state] ?? 0) + body.requests.length;
        page = links.next && new URL(links.next).pathname + new URL(links.next).search;
      }
    }
    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(rows.length);
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);
    const { status, body } = await caller.get("/requests?state=done");
    expect([status, body.errors[0]]).toEqual([422, expect.stringContaining("rolling_back, finished")]);
  });

  it("finds them by their subject, result, leaks and parent, and none of other accounts", async () => {
    const caller = await createCaller(api);
    const of = { accountId: caller.accountId, type: "provision_network", input: {}, traceId: "", deadlineAt: now };
    const [parent, child, other] = [randomUUID(), randomUUID(), randomUUID()];
    const subject = { resourceType: "server", resourceId: "3" };
    await db.request.createMany({
      data: [
        { id: parent, ...of, successful: true, finishedAt: now },
        {
          id: child,
          ...of,
          ...subject,
          parentId: parent,
          leakedResources: [{ kind: "vpc", id: "vpc-1", region: REGION }],
        },
        { id: other, ...of, ...subject, accountId: owner.accountId },
      ],
    });
    const found = async (query: string) => idsIn(await caller.get(`/requests?${query}`));
    expect(await found("subject=server/3")).toEqual([child]);
    expect(await found("subject=server/4")).toEqual([]);
    const network = { resourceType: "network", resourceId: randomUUID() };
    await db.request.update({ where: { id: parent }, data: network });
    expect(await found(`subject=network/${network.resourceId.toUpperCase()}`)).toEqual([parent]);
    expect(await found("leaked=true")).toEqual([child]);
    expect(await found("leaked=false")).toEqual([parent]);
    expect(await found("successful=true")).toEqual([parent]);
    expect(await found(`parent=${parent}`)).toEqual([child]);
    expect(await found("parent")).toEqual([parent]);
    expect((await caller.get(`/requests?parent=${other}`)).status).toBe(404);
    expect((await caller.get("/requests?subject=3")).body.errors[0]).toMatch(/must be a record's type and id/);
  });

  it("reads what a Request works on, how far it is, and what an instance_update does", async () => {
    const { id, networkId } = await acceptNetwork();
    const show = async (request: string) => (await owner.get(`/requests/${request}`)).body.request;
    const subject = { type: "network", id: networkId, url: `http://gantry.test/networks/${networkId}` };
    expect(await show(id)).toMatchObject({ state: "pending", percent: 0, progress: false, subject });
    await db.request.update({ where: { id }, data: { startedAt: now, stage: "create" } });
    expect(await show(id)).toMatchObject({ state: "running", progress: false });
    await end(id, { successful: true });
    expect(await show(id)).toMatchObject({ state: "finished", percent: 100, progress: false });
    const of = { accountId: owner.accountId, type: "instance_update", traceId: "", deadlineAt: now };
    const update = { id: randomUUID(), ...of, input: { action: "stop" }, resourceType: "server", resourceId: "3" };
    await db.request.create({ data: { ...update, stage: "keys", startedAt: now } });
    expect(await show(update.id)).toMatchObject({
      action: "stop",
      resource: false,
      subject: { type: "server", id: 3, url: "http://gantry.test/servers/3" },
      percent: 50,
    });
  });
});

it("lists the Requests on each kind of resource", async () => {
  const { id, networkId } = await acceptNetwork();
  expect(idsIn(await owner.get(`/networks/${networkId}/requests`))).toEqual([id]);
  expect(idsIn(await owner.get(`/networks/${networkId}/requests?state=finished`))).toEqual([]);
  expect(idsIn(await owner.get(`/providers/${provider.id}/requests`))).toEqual([]);
  expect((await (await createCaller(api)).get(`/networks/${networkId}/requests`)).status).toBe(404);
});

describe("the order of a list of requests", () => {
  it.each(["created_at", "-created_at", "updated_at", "-updated_at"])("is by %s, page by page", async (sort) => {
    const caller = await createCaller(api);
    const mine = await createProvider(db, caller.accountId);
    for (let i = 0; i < 5; i++)
      await caller.post("/networks", { provider: mine.id, network: { cidr: "10.0.0.0/16", location: REGION } });
    const rows = await db.request.findMany({ where: { accountId: caller.accountId } });
    for (const [i, { id }] of rows.entries())
      await db.request.update({ where: { id }, data: { updatedAt: new Date(Date.now() - ((i * 7) % 5) * 60_000) } });
    const seen: Record<string, string>[] = [];
    let next: string | undefined = `/requests?sort=${sort}&per_page=2`;
    while (next) {
      const { body, headers } = await caller.get(next);
      seen.push(...body.requests);
      const [, url] = /<([^>]+)>; rel="next"/.exec(headers.link ?? "") ?? [];
      next = url && `${new URL(url).pathname}${new URL(url).search}`;
    }
    const times = seen.map((each) => Date.parse(each[sort.replace("-", "")] ?? ""));
    const ascending = [...times].sort((a, b) => a - b);
    expect(seen).toHaveLength(5);
    expect(times).toEqual(sort.startsWith("-") ? ascending.reverse() : ascending);
  });

  it("is one of the known orders, and only matching cursors are accepted", async () => {
    const { status, body } = await owner.get("/requests?sort=size");
    expect([status, body.details[0].path]).toEqual([422, "sort"]);
    expect((await owner.get("/requests?cursor=bmV4dCB0cnVlIDE")).body.details[0].path).toBe("cursor");
  });
});

it("finds requests by a part of their subject's name or of their type", async () => {
  const { id: environmentId } = await db.environment.create({
    data: { ...(await createEnvironment(db, provider)), id: 70_000, name: "Shop 100%", tags: {} },
  });
  const boot = { cluster_configuration: { configuration: { type: "solo" } } };
  const { request } = (await owner.post(`/environments/${environmentId}/boot`, boot)).body;
  const found = async (q: string) => idsIn(await owner.get(`/requests?q=${encodeURIComponent(q)}`));
  expect(await found("shop")).toEqual([request.id]);
  expect(await found("100%")).toEqual([request.id]);
  expect(await found("start env")).toContain(request.id);
  expect(await found("sh_p")).toEqual([]);
});
