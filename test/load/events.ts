import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@gantry/db";
import autocannon from "autocannon";
import { openEventStream } from "../support/event-stream.js";
import { megabytesOf } from "../support/process-memory.js";
import { type BenchEnvironment, type LaunchedProcess, REGION } from "./bench-environment.js";
import { requestClient } from "./request-client.js";
import { medianOf, percentileOf } from "./statistics.js";
import { measureTraffic } from "./traffic.js";

const STREAMS = 1000;
const READERS = 10;
const EVENTS = 50;
const USERS = 5;
const WARM_UP = 3;

/** Has the triggers that write events run or not. */
export async function setEvents(db: Db, isOn: boolean): Promise<void> {
  const triggers = await db.$queryRaw<{ table: string; name: string }[]>`
    SELECT tgrelid::regclass::text AS "table", tgname AS name FROM pg_trigger WHERE tgname LIKE 'record_event%'`;
  const verb = isOn ? "ENABLE" : "DISABLE";
  for (const { table, name } of triggers) await db.$executeRawUnsafe(`ALTER TABLE ${table} ${verb} TRIGGER ${name}`);
}

/** Accepted Requests a second with events and without, alternately. */
export async function measureAcceptance(
  { db, providerId, token, clear }: BenchEnvironment,
  api: LaunchedProcess,
): Promise<{ withPerSecond: number; withoutPerSecond: number }> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ provider: providerId, network: { cidr: "10.0.0.0/16", location: REGION } });
  const target = (isOn: boolean) => ({
    input: { url: `${api.url}/networks`, method: "POST" as const, headers, body },
    before: async () => {
      await clear();
      await setEvents(db, isOn);
    },
  });
  const measured = await measureTraffic({ on: target(true), off: target(false) }, { rounds: 13, seconds: 1 });
  await setEvents(db, true);
  await clear();
  return { withPerSecond: measured.on.perSecond, withoutPerSecond: measured.off.perSecond };
}

/** Milliseconds from POST /networks to its end with events and without, alternately. Needs a worker. */
export async function measureRequest(
  { db, providerId, token }: BenchEnvironment,
  api: LaunchedProcess,
  rounds: number,
): Promise<{ withMs: number; withoutMs: number }> {
  const { requestAndWait } = requestClient(api.url, token);
  const input = { provider: providerId, network: { cidr: "10.0.0.0/16", location: REGION } };
  const times = { on: [] as number[], off: [] as number[] };
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const isOn of [true, false]) {
      await setEvents(db, isOn);
      const start = performance.now();
      await requestAndWait("POST", "/networks", input);
      if (round >= 0) times[isOn ? "on" : "off"].push(performance.now() - start);
    }
  }
  await setEvents(db, true);
  return { withMs: medianOf(times.on), withoutMs: medianOf(times.off) };
}

/** What a thousand open streams cost an API process, and how late an event reaches the ten of them that want it. */
export async function measureStreams(
  { accountId, addTenant, db, providerId, token }: BenchEnvironment,
  api: LaunchedProcess,
): Promise<{ megabytes: number; readP99Ratio: number; deliveryP99Ms: number }> {
  const { id } = await db.network.findFirstOrThrow({ where: { accountId, providerId } });
  const users = await Promise.all(Array.from({ length: USERS }, () => addReader(db, accountId, addTenant)));
  const readP99 = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const url = `${api.url}/networks/${id}`;
    const { latency } = await autocannon({ url, headers, duration: 5, connections: 4, overallRate: 500 });
    return latency.p99;
  };
  const open = (reader: string, subject: string) =>
    openEventStream(`${api.url}/accounts/${accountId}/events?after=now&subject=${subject}`, reader);
  await readP99();
  const p99 = { open: [] as number[], none: [] as number[] };
  const megabytes: number[] = [];
  const late: number[] = [];
  for (let round = 0; round < 5; round++) {
    p99.none.push(await readP99());
    const before = megabytesOf(api.pid);
    const others = [];
    for (const user of users)
      for (let count = 0; count < STREAMS / USERS; count++) others.push(await open(user, `network/${randomUUID()}`));
    const readers = await Promise.all(Array.from({ length: READERS }, () => open(token, `network/${id}`)));
    p99.open.push(await readP99());
    megabytes.push(megabytesOf(api.pid) - before);
    const reading = readers.map(async ({ events }) => {
      for await (const { created_at } of events) late.push(Date.now() - Date.parse(created_at));
    });
    for (let count = 0; count < EVENTS; count++) {
      await db.network.update({ where: { id }, data: { provisionedId: `vpc-${round}-${count}` } });
      await sleep(50);
    }
    await sleep(1000);
    for (const { cut } of [...others, ...readers]) cut();
    await Promise.all(reading);
  }
  const expected = 5 * EVENTS * READERS;
  if (late.length !== expected) throw new Error(`${late.length} of ${expected} events were read`);
  return {
    megabytes: Math.max(...megabytes),
    readP99Ratio: medianOf(p99.open) / medianOf(p99.none),
    deliveryP99Ms: percentileOf(late, 0.99),
  };
}

/** The token of another member of the account: a user may open 250 streams. */
async function addReader(db: Db, accountId: string, addTenant: BenchEnvironment["addTenant"]): Promise<string> {
  const { userId, token } = await addTenant();
  await db.membership.create({ data: { id: randomUUID(), accountId, userId, role: "viewer" } });
  return token;
}
