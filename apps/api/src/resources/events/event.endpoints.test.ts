import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import type { Db, Prisma } from "@gantry/db";
import {
  compareCursors,
  cursorOf,
  EVENT_SUBJECTS,
  type EventCursor,
  readEvents,
  resourceTypes,
  START,
} from "@gantry/resources";
import {
  createAddress,
  createCaller,
  createNetwork,
  createVolume,
  REGION,
  type TestCaller,
} from "@gantry/test/support/api";
import { endRequest, expectRefusal, startApiTest, urlOf } from "@gantry/test/support/api-test";
import { openEventStream, type ReadEvent, take } from "@gantry/test/support/event-stream";
import { openPort } from "@gantry/test/support/port";
import { runsEveryCase } from "@gantry/test/support/sample";
import { testLog } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { EventFeed } from "../../http/events/event-feed.js";

const { api, db } = await startApiTest();
const port = await openPort();
port.serve(api.app);
afterAll(() => port.close());

let owner: TestCaller;
let accountId: string;
let providerId: number;
beforeEach(async () => {
  owner = await createCaller(api);
  ({ accountId } = owner);
  ({ id: providerId } = await db.provider.create({
    data: { accountId, type: "aws", externalId: randomUUID(), provisionedId: "123456789012" },
  }));
  const location = {
    accountId,
    providerId,
    locationId: REGION,
    locationName: REGION,
    serverLimit: 20,
    addressLimit: 5,
  };
  await db.providerLocation.create({ data: { id: randomUUID(), ...location } });
});

const path = (query = "") => `/accounts/${owner.accountId}/events${query}`;

/** Reads a page that is full or reaches beyond every event that was written before the call. */
async function read(query = "", of = path()): Promise<{ events: ReadEvent[]; next: string }> {
  const last = await db.event.findFirst({ orderBy: [{ position: "desc" }, { seq: "desc" }] });
  const limit = Number(new URLSearchParams(query).get("limit") ?? 100);
  return until(async () => {
    const { status, body } = await owner.get(`${of}${query}`);
    expect([status, body.errors]).toEqual([200, undefined]);
    const next = cursorOf(body.next) ?? START;
    return (body.events.length === limit || !last || compareCursors(next, last) >= 0) && body;
  });
}

function stream(query = "", lastEventId?: string, caller = owner) {
  return openEventStream(`${port.url}/accounts/${owner.accountId}/events${query}`, caller.token, lastEventId);
}

/** Asks for an address: a record, and a Request to provision it. */
async function requestAddress(): Promise<string> {
  const { status, body } = await owner.post("/addresses", { provider: providerId, address: { location: REGION } });
  expect([status, body.errors]).toEqual([200, undefined]);
  return body.request.id;
}

/** Creates a child of a Request, as its workflow does. */
async function addChild(parentId: string): Promise<string> {
  const { accountId, type } = await db.request.findUniqueOrThrow({ where: { id: parentId } });
  const data = { accountId, parentId, type, input: {}, traceId: "", deadlineAt: new Date() };
  return (await db.request.create({ data: { id: randomUUID(), ...data } })).id;
}

const typesOf = (events: ReadEvent[]) => events.map(({ type }) => type);

describe("an event", () => {
  it("contains the record as its URL shows it, and the Request that was accepted with it", async () => {
    const { next } = await read();
    const requestId = await requestAddress();
    const { events } = await read(`?after=${next}`);
    expect(typesOf(events).sort()).toEqual(["request.accepted", "resource.created"]);
    const created = events.find(({ type }) => type === "resource.created");
    const { body } = await owner.get(`/addresses/${created?.subject.id}`);
    expect(created).toMatchObject({ request: null, message: null, record: body.address });
    expect(created?.subject).toEqual({
      type: "address",
      id: body.address.id,
      url: urlOf(`addresses/${body.address.id}`),
    });
    const accepted = events.find(({ type }) => type === "request.accepted");
    const { request } = (await owner.get(`/requests/${requestId}`)).body;
    expect(accepted).toMatchObject({ request: urlOf(`requests/${requestId}`), record: request });
  });

  it("of an older version is read by page and stream, with null for columns that its record lacks", async () => {
    const { next } = await read();
    await requestAddress();
    await db.$executeRaw`
      UPDATE events SET record = (record::jsonb - '{updated_at,provider_id,location}'::text[])::json
      WHERE account_id = ${accountId}::uuid AND subject_type = 'address'`;
    const { events } = await read(`?after=${next}`);
    const created = events.find(({ type }) => type === "resource.created");
    const { address } = (await owner.get(`/addresses/${created?.subject.id}`)).body;
    expect(created?.record).toEqual({ ...address, updated_at: null, provider: null, location: null });
    expect(await take(await stream("", next), events.length)).toEqual(events);
  });

  it("that cannot be rendered has a null record in page and stream, and is logged", async () => {
    const warn = jest.spyOn(testLog, "warn");
    const { next } = await read();
    await requestAddress();
    await db.$executeRaw`
      UPDATE events SET subject_type = 'balloon' WHERE account_id = ${accountId}::uuid AND subject_type = 'address'`;
    await db.$executeRaw`
      UPDATE events SET record = '{"created_at": 5}' WHERE account_id = ${accountId}::uuid AND subject_type = 'request'`;
    const { events } = await read(`?after=${next}`);
    expect(events.map(({ record }) => record)).toEqual([null, null]);
    expect(events.map(({ subject }) => subject.type).sort()).toEqual(["balloon", "request"]);
    expect(warn.mock.calls.slice(-2)).toEqual(
      events.map(({ id, type }) => [{ id, type, err: expect.any(Error) }, "event cannot be rendered"]),
    );
    warn.mockRestore();
    expect(await take(await stream("", next), 2)).toEqual(events);
  });

  it("is committed together with its change or not at all", async () => {
    const { next } = await read();
    await expect(
      db.$transaction(async (tx) => {
        await createAddress(tx as Db, { id: providerId, accountId } as never);
        throw new Error("undone");
      }),
    ).rejects.toThrow("undone");
    expect((await read(`?after=${next}`)).events).toEqual([]);
  });

  it("reports each step of a Request once, and repeated waits for the same reason once", async () => {
    const id = await requestAddress();
    const { next } = await read();
    const set = (data: Prisma.RequestUncheckedUpdateInput) => db.request.update({ where: { id }, data });
    const now = new Date();
    await set({ startedAt: now, leaseUntil: now });
    await set({ stage: "allocate" });
    for (const _ of [1, 2, 3]) {
      await set({ waitingFor: "AWS" });
      await set({ waitingFor: null, leaseUntil: now });
    }
    await db.requestMessage.create({ data: { id: randomUUID(), requestId: id, message: "AWS is slow" } });
    await set({ waitingFor: "AWS" });
    await set({ cancelRequestedAt: now });
    await set({ rollingBackSince: now, message: "cancelled" });
    const leakedResources = [{ kind: "address", id: "eipalloc-1", region: REGION }];
    await set({ finishedAt: now, waitingFor: null, leakedResources });
    const { events } = await read(`?after=${next}`);
    expect(typesOf(events)).toEqual([
      "request.started",
      "request.stage",
      "request.waiting",
      "request.message",
      "request.waiting",
      "request.cancelling",
      "request.rolling_back",
      "request.leaked",
      "request.cancelled",
    ]);
    expect(events.map(({ record }) => record.state)).toEqual([
      "running",
      "running",
      "waiting",
      "running",
      "waiting",
      "cancelling",
      "cancelling",
      "cancelled",
      "cancelled",
    ]);
    expect(events.map(({ message }) => message).filter(Boolean)).toEqual([
      "AWS is slow",
      `address eipalloc-1 in ${REGION}`,
    ]);
  });

  it("reports visible changes of a record, its removal and restoration, findings and alerts", async () => {
    const volume = await createVolume(db, { id: providerId, accountId } as never);
    const { next } = await read();
    const change = (data: object) => db.volume.update({ where: { id: volume.id }, data });
    await change({ updatedAt: new Date() });
    await change({ state: "attached" });
    await change({ disappearedAt: new Date() });
    await change({ deletedAt: new Date() });
    await change({ deletedAt: null });
    const found = { accountId, providerId, region: REGION, finding: "orphan", kind: "volume", cloudId: "vol-1" };
    await db.drift.create({ data: { id: randomUUID(), ...found } });
    const alert = { accountId, externalId: "a", name: "disk", message: "full", severity: "warning" };
    const { id } = await db.alert.create({ data: { id: randomUUID(), ...alert } });
    await db.alert.update({ where: { id }, data: { acknowledged: true } });
    await db.alert.update({ where: { id }, data: { finishedAt: new Date() } });
    const { events } = await read(`?after=${next}`);
    expect(typesOf(events)).toEqual([
      "resource.changed",
      "resource.disappeared",
      "resource.deleted",
      "resource.restored",
      "drift.found",
      "alert.raised",
      "alert.finished",
    ]);
    expect(events[0]?.record.id).toBe(volume.id);
  });

  it("contains no secret of any table, and every resource has its trigger", async () => {
    const triggers = await db.$queryRaw<{ table: string; name: string; args: string[] }[]>`
      SELECT tgrelid::regclass::text AS table, proname AS name,
        string_to_array(encode(tgargs, 'escape'), '\\000') AS args
      FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid WHERE proname IN ('record_event_of_creation', 'record_event_of_change')`;
    const recorded = resourceTypes.filter((type) => !["account", "provider_location", "drift"].includes(type));
    for (const each of ["record_event_of_creation", "record_event_of_change"])
      expect(
        triggers
          .filter(({ name }) => name === each)
          .map(({ args }) => args[0])
          .sort(),
      ).toEqual([...recorded].sort());
    expect([...recorded, "drift", "request", "alert", "webhook"].sort()).toEqual([...EVENT_SUBJECTS].sort());
    const sealed = await db.$queryRaw<{ table: string; column: string }[]>`
      SELECT table_name AS table, column_name AS column FROM information_schema.columns
      WHERE table_schema = current_schema() AND data_type = 'bytea'`;
    const shown = triggers.flatMap(({ table, name, args }) =>
      sealed
        .filter((each) => each.table === table && !args[1]?.includes(each.column))
        .map((each) => ({ ...each, name })),
    );
    expect(shown).toEqual([]);
  });
});

describe("a page of events", () => {
  it("continues where the previous page ended, with at most the requested number", async () => {
    for (const _ of [1, 2, 3]) await createNetwork(db, { id: providerId, accountId } as never);
    const whole = await read();
    const ids: string[] = [];
    let next: string | undefined;
    do {
      const page = await read(`?limit=1${next ? `&after=${next}` : ""}`);
      if (page.events.length === 0) break;
      expect(page.events).toHaveLength(1);
      ids.push(...page.events.map(({ id }) => id));
      next = page.next;
    } while (ids.length < 100);
    expect(ids).toEqual(whole.events.map(({ id }) => id));
    expect(ids).toHaveLength(4);
  });

  it("begins with the newest on request, in their order, and goes on from there", async () => {
    for (const _ of [1, 2, 3]) await createNetwork(db, { id: providerId, accountId } as never);
    const { events, next } = await read();
    const newest = await read("?newest=true&limit=2");
    expect(newest.events).toEqual(events.slice(-2));
    expect(await read(`?after=${newest.next}`)).toMatchObject({ events: [] });
    expect(
      compareCursors(cursorOf(newest.next) ?? START, cursorOf(events.at(-1)?.id ?? "") ?? START),
    ).toBeGreaterThanOrEqual(0);
    const whole = await read("?newest=true");
    expect(whole.events).toEqual(events);
    const taking = take(await stream("?newest=true&limit=1"), 2);
    await createNetwork(db, { id: providerId, accountId } as never);
    const [first, second] = await taking;
    expect([first?.id, second?.type]).toEqual([events.at(-1)?.id, "resource.created"]);
    await expectRefusal(db, () => owner.get(path(`?newest=true&after=${next}`)), /^newest: must not be given together/);
  });

  it("waits for an event if there is none", async () => {
    const waiting = owner.get(path("?after=now&wait=60")).then(({ body }) => body);
    await createNetwork(db, { id: providerId, accountId } as never);
    // The call may have arrived after the first network: a later one ends its wait.
    let ended = false;
    void waiting.then(() => {
      ended = true;
    });
    await until(async () => {
      await createNetwork(db, { id: providerId, accountId } as never);
      return ended;
    });
    expect(typesOf((await waiting).events)).toContain("resource.created");
  });

  it("is empty when its wait is over", async () => {
    const { next } = await read();
    expect((await read(`?after=${next}&wait=0.2`)).events).toEqual([]);
  });

  it("contains only the requested types and subject", async () => {
    const network = await createNetwork(db, { id: providerId, accountId } as never);
    await db.network.update({ where: { id: network.id }, data: { provisionedId: "vpc-2" } });
    expect(typesOf((await read("?type[]=resource.changed")).events)).toEqual(["resource.changed"]);
    for (const id of [network.id, network.id.toUpperCase()]) {
      const { events } = await read(`?subject=network/${id}`);
      expect(typesOf(events)).toEqual(["resource.created", "resource.changed"]);
    }
    await expectRefusal(db, () => owner.get(path("?type=resource.gone")), /^type/);
  });

  it("of a Request contains only its events", async () => {
    const [first] = [await requestAddress(), await requestAddress()];
    await endRequest(db, first as string);
    const { events } = await read("", `/requests/${first}/events`);
    expect(typesOf(events)).toEqual(["request.accepted", "request.started", "request.finished"]);
  });

  it("of a Request contains those of all its descendants with `children`, in the account's order", async () => {
    const root = await requestAddress();
    const children = [await addChild(root), await addChild(root), await addChild(root)];
    const grandchild = await addChild(children[1] as string);
    await addChild(await requestAddress());
    for (const id of [...children, grandchild, root]) await endRequest(db, id);
    const family = [root, ...children, grandchild];
    const all = await read();
    const expected = all.events.filter(({ subject }) => family.includes(String(subject.id)));
    expect(expected).toHaveLength(15);
    const ofFamily = `/requests/${root}/events?children=true`;
    expect((await read("", ofFamily)).events).toEqual(expected);
    const narrowed = await read(`&type=request.finished&subject=request/${grandchild}`, ofFamily);
    expect(narrowed.events).toEqual([expected.find(({ id }) => id === narrowed.events[0]?.id)]);
    const first = await read("&limit=4", ofFamily);
    const second = await read(`&after=${first.next}`, ofFamily);
    expect([...first.events, ...second.events]).toEqual(expected);
    expect(typesOf((await read("", `/requests/${root}/events?children=false`)).events)).toHaveLength(3);
  });

  it("rejects a cursor that is malformed, that the database has lost, or whose events are no longer kept", async () => {
    for (const after of ["x", "1", "-1-1"])
      await expectRefusal(db, () => owner.get(path(`?after=${after}`)), /^after: /);
    const codeOf = async (after: string) => {
      const { status, body } = await owner.get(path(`?after=${after}`));
      return [status, body.code];
    };
    expect(await codeOf("999999999999999999-1")).toEqual([410, "gone"]);
    await db.$executeRaw`UPDATE event_clocks SET kept_from = 3`;
    expect(await codeOf("2-1")).toEqual([410, "gone"]);
    await db.$executeRaw`UPDATE event_clocks SET kept_from = 0`;
  });
});

describe("a stream of events", () => {
  it("starts with the oldest event, continues with new ones, and resumes after the last one read", async () => {
    await createNetwork(db, { id: providerId, accountId } as never);
    const first = await stream();
    expect([first.status, first.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    const taking = take(first, 3);
    await createNetwork(db, { id: providerId, accountId } as never);
    const taken = await taking;
    await createNetwork(db, { id: providerId, accountId } as never);
    const resumed = await take(await stream("", taken.at(-1)?.id), 1);
    const { events } = await read();
    expect([...taken, ...resumed]).toEqual(events);
  });

  it("of a Request and its descendants has those that are created while it is read, and resumes after the last one", async () => {
    const root = await requestAddress();
    const openFamily = (query = "", lastEventId?: string) =>
      openEventStream(`${port.url}/requests/${root}/events?children=true${query}`, owner.token, lastEventId);
    const reading = await openFamily();
    const finished = await openFamily("&type=request.finished");
    const taking = [take(reading, 5), take(finished, 5)];
    const children: string[] = [];
    for (const _ of [1, 2, 3]) children.push(await addChild(root));
    await addChild(await requestAddress());
    const grandchild = await addChild(children[2] as string);
    const taken = await (taking[0] as Promise<ReadEvent[]>);
    const resumed = await openFamily("", taken.at(-1)?.id);
    const rest = take(resumed, 12);
    const late = await addChild(grandchild);
    const family = [root, ...children, grandchild, late];
    for (const id of family.slice(1)) await endRequest(db, id);
    await db.requestMessage.create({ data: { id: randomUUID(), requestId: root, message: "all servers run" } });
    const { events } = await read();
    const expected = events.filter(({ subject }) => family.includes(String(subject.id)));
    expect([...taken, ...(await rest)]).toEqual(expected);
    const ends = expected.filter(({ type }) => type === "request.finished");
    expect(await taking[1]).toEqual(ends);
  });

  it("ends within seconds for a member who was removed and for a token that was revoked", async () => {
    const [removed, revoked] = await Promise.all([
      createCaller(api, { accountId, role: "viewer" }),
      createCaller(api, { accountId, role: "viewer" }),
    ]);
    const streams = await Promise.all([stream("", undefined, removed), stream("", undefined, revoked)]);
    const ends = streams.map(async ({ events }) => {
      for await (const _ of events);
      return "ended";
    });
    await db.membership.deleteMany({ where: { userId: removed.userId } });
    await db.token.deleteMany({ where: { userId: revoked.userId } });
    expect(await Promise.all(ends)).toEqual(["ended", "ended"]);
  });

  it("sends its cursor at once, even if there is no event yet", async () => {
    const { next } = await read("?after=now");
    const headers = { Authorization: `Bearer ${owner.token}`, Accept: "text/event-stream" };
    const cut = new AbortController();
    const { body } = await fetch(`${port.url}${path(`?after=${next}`)}`, { headers, signal: cut.signal });
    const { value } = (await body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toMatch(/^retry: \d+\nid: \d+-\d+\n\n$/);
    cut.abort();
  });

  it("ends for HEAD", async () => {
    // The connection serves the next call only after the end of the first.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const statusOf = (method: string, Accept: string) =>
      new Promise((resolve, reject) => {
        const headers = { Authorization: `Bearer ${owner.token}`, Accept };
        const call = request(`${port.url}${path()}`, { method, headers, agent }, (answer) => {
          answer.resume().on("end", () => resolve(answer.statusCode));
        });
        call.on("error", reject).end();
      });
    expect(await statusOf("HEAD", "text/event-stream")).toBe(200);
    expect(await statusOf("GET", "application/json")).toBe(200);
    agent.destroy();
  });

  it("ends if it falls behind the kept events, and the next call returns 410", async () => {
    const { next } = await read("?after=now");
    const { events } = await stream("", next);
    await db.$executeRaw`UPDATE event_clocks SET kept_from = ${BigInt(Number(next.split("-")[0]) + 1_000_000)}`;
    for await (const _ of events);
    expect((await stream("", next)).status).toBe(410);
    await db.$executeRaw`UPDATE event_clocks SET kept_from = 0`;
  });

  it("ends at a cursor that the database has lost, as a wait does, and the next call returns 410", async () => {
    const { next } = await read("?after=now");
    const followed = jest.spyOn(EventFeed.prototype, "follow");
    const { events } = await stream("", next);
    const waiting = owner.get(path(`?after=${next}&wait=60`)).then(({ status }) => status);
    await until(async () => followed.mock.calls.length === 2);
    followed.mockRestore();
    await db.$executeRaw`
      UPDATE event_clocks SET added = added + 1000000000000, unused = int8multirange(int8range(0, added + 1000000000000))`;
    for await (const _ of events);
    expect(await waiting).toBe(410);
    expect((await stream("", next)).status).toBe(410);
    const present = await stream("?after=now");
    await requestAddress();
    expect(typesOf(await take(present, 2))).toEqual(["request.accepted", "resource.created"]);
    await db.$executeRaw`UPDATE event_clocks SET unused = '{}'`;
  });

  it("is only for members", async () => {
    const stranger = await createCaller(api);
    expect((await stream("", undefined, stranger)).status).toBe(404);
    expect((await openEventStream(`${port.url}${path()}`, "none")).status).toBe(401);
  });
});

describe("concurrent writers", () => {
  const WRITERS = 20;
  const EACH = 15;
  const READERS = runsEveryCase ? 200 : 25;

  /** Writes events from several connections, in transactions that end in another order than they began. */
  async function write(): Promise<void> {
    const writer = async (n: number) => {
      for (let i = 0; i < EACH; i++)
        await db.$transaction(
          async (tx) => {
            await createNetwork(tx as Db, { id: providerId, accountId } as never);
            await tx.$executeRaw`SELECT pg_sleep(${((n * 7 + i * 3) % 10) / 500})`;
            await createNetwork(tx as Db, { id: providerId, accountId } as never);
          },
          { maxWait: 300_000, timeout: 300_000 },
        );
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(n)));
  }

  it("never hide an event from a reader or repeat one", async () => {
    let last: EventCursor | undefined;
    const writing = write().then(async () => {
      last = await db.event.findFirstOrThrow({
        where: { accountId },
        orderBy: [{ position: "desc" }, { seq: "desc" }],
      });
    });
    let cursor = START;
    const seen: bigint[] = [];
    const reading = until(async () => {
      const page = await readEvents(db, { accountIds: [accountId] }, cursor, 100);
      ({ cursor } = page);
      seen.push(...page.events.map(({ seq }) => seq));
      return last && compareCursors(cursor, last) >= 0;
    });
    await Promise.all([writing, reading]);
    const all = await db.event.findMany({ where: { accountId }, orderBy: [{ position: "asc" }, { seq: "asc" }] });
    expect(seen).toEqual(all.map(({ seq }) => seq));
    expect(all).toHaveLength(1 + WRITERS * EACH * 2);
  });

  it("deliver every event once and in order to many readers that are disconnected at random", async () => {
    const total = 1 + WRITERS * EACH * 2;
    const readers = Array.from({ length: READERS }, async (_, n) => {
      const seen: string[] = [];
      while (seen.length < total) {
        const part = Math.min(total - seen.length, 40 + ((n * 31 + seen.length * 17) % 200));
        seen.push(...(await take(await stream("", seen.at(-1)), part)).map(({ id }) => id));
      }
      return seen;
    });
    await write();
    const { events } = await read("?limit=1000");
    const ids = events.map(({ id }) => id);
    expect(ids).toHaveLength(total);
    for (const seen of await Promise.all(readers)) expect(seen).toEqual(ids);
  });
});
