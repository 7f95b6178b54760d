import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Db } from "@gantry/db";
import autocannon from "autocannon";
import { megabytesOf } from "../support/process-memory.js";
import type { BenchEnvironment, LaunchedProcess, Tenant } from "./bench-environment.js";
import { medianOf } from "./statistics.js";

const ACCOUNTS = 50;
const STREAMS_OF_ACCOUNT = 20;
const EVENTS_A_SECOND = 20;
const SECONDS = 10;
const ROUNDS = 3;
const BACKLOG = 1_000_000;
const BACKLOG_READERS = 20;
/** The number of events of the backlog that each reader reads. */
const READ_OF_BACKLOG = 20_000;

export interface StreamFigures {
  /** The memory that 1,000 receiving streams add to the API process. */
  megabytes: number;
  readP99Ratio: number;
  /** The part of the events that the readers had a second after the last one. */
  deliveredPart: number;
}

/** What streams cost that receive all events of their accounts: twenty of each of fifty accounts. */
export async function measureReceivingStreams(bench: BenchEnvironment, api: LaunchedProcess): Promise<StreamFigures> {
  const tenants: Tenant[] = [bench];
  while (tenants.length < ACCOUNTS) tenants.push(await bench.addTenant());
  const networks = await Promise.all(tenants.map((tenant) => addNetwork(bench.db, tenant)));
  const readP99 = readsOf(api, bench.token, networks[0] as string);
  await readP99();
  const p99 = { open: [] as number[], none: [] as number[] };
  const [megabytes, parts]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    p99.none.push(await readP99());
    const before = megabytesOf(api.pid);
    const streams = tenants.flatMap(({ accountId, token }) =>
      Array.from({ length: STREAMS_OF_ACCOUNT }, () => ({
        url: `${api.url}/accounts/${accountId}/events?after=now`,
        token,
      })),
    );
    const readers = await openReaders(streams);
    const writing = writeEvents(bench.db, tenants, networks);
    const seen = watchMemory(api.pid);
    p99.open.push(await readP99());
    const written = await writing;
    await sleep(1000);
    megabytes.push(seen() - before);
    const counts = await ask<{ counts: number[] }>(readers, "count");
    parts.push(counts.counts.reduce((sum, count) => sum + count, 0) / (written * STREAMS_OF_ACCOUNT));
    readers.kill();
    await once(readers, "exit");
  }
  return {
    megabytes: Math.max(...megabytes),
    readP99Ratio: medianOf(p99.open) / medianOf(p99.none),
    deliveredPart: Math.min(...parts),
  };
}

export interface BacklogFigures {
  /** Events a second of one reader that reads by itself. */
  singlePerSecond: number;
  /** Events a second of the slowest of twenty readers at once. */
  leastPerSecond: number;
  /** The median of reads of a record beside the twenty, against the time without. */
  readP50Ratio: number;
  readP99Ratio: number;
}

/** How fast readers of a million old events get on, and what reads of records lose by it. */
export async function measureBacklog(bench: BenchEnvironment, api: LaunchedProcess): Promise<BacklogFigures> {
  const { db, accountId, token } = bench;
  const network = await addNetwork(db, bench);
  await addBacklog(db, accountId, network);
  const url = `${api.url}/accounts/${accountId}/events`;
  const rate = async (readers: number, meanwhile: () => Promise<unknown>) => {
    const process = await openReaders(Array.from({ length: readers }, () => ({ url, token, until: READ_OF_BACKLOG })));
    const ended = next<{ ended: number[] }>(process);
    await meanwhile();
    const { ended: times } = await ended;
    process.kill();
    return (READ_OF_BACKLOG / Math.max(...times)) * 1000;
  };
  const singlePerSecond = await rate(1, async () => {});
  const reads = readsOf(api, token, network, 5);
  await reads();
  const alone = await reads.full();
  let beside = alone;
  const leastPerSecond = await rate(BACKLOG_READERS, async () => {
    beside = await reads.full();
  });
  return {
    singlePerSecond,
    leastPerSecond,
    readP50Ratio: beside.p50 / alone.p50,
    readP99Ratio: beside.p99 / alone.p99,
  };
}

async function addNetwork(db: Db, { accountId, providerId }: Tenant): Promise<string> {
  const id = randomUUID();
  const data = { id, accountId, providerId, location: "us-east-1", cidr: "10.0.0.0/16", name: "shop" };
  await db.network.create({ data });
  return id;
}

/** Measures reads of a record, 500 a second, for some seconds. */
function readsOf({ url: api }: LaunchedProcess, token: string, network: string, duration = SECONDS) {
  const full = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const url = `${api}/networks/${network}`;
    const { latency } = await autocannon({ url, headers, duration, connections: 4, overallRate: 500 });
    return { p50: latency.p50, p99: latency.p99 };
  };
  return Object.assign(async () => (await full()).p99, { full });
}

/** Changes the network of each account some times a second, all accounts in one statement. Returns the number of events. */
async function writeEvents(db: Db, tenants: Tenant[], networks: string[]): Promise<number> {
  const end = performance.now() + SECONDS * 1000;
  let changes = 0;
  for (; performance.now() < end; changes++) {
    const start = performance.now();
    await db.$executeRaw`UPDATE networks SET provisioned_id = ${`vpc-${randomUUID()}`} WHERE id = ANY(${networks}::uuid[])`;
    await sleep(Math.max(0, 1000 / EVENTS_A_SECOND - (performance.now() - start)));
  }
  return changes * tenants.length;
}

async function addBacklog(db: Db, accountId: string, network: string): Promise<void> {
  await db.$executeRaw`
    INSERT INTO events (account_id, position, type, subject_type, subject_id, record, created_at)
    SELECT ${accountId}::uuid, 1 + i * (clock.horizon - 1) / ${BACKLOG}, 'resource.changed', 'network', ${network}, to_json(n), now() - interval '1 h'
    FROM generate_series(1, ${BACKLOG}::bigint - 1) i, (SELECT event_horizon() AS horizon) clock,
      (SELECT * FROM networks WHERE id = ${network}::uuid) n`;
  await db.$executeRawUnsafe("VACUUM ANALYZE events");
}

async function openReaders(streams: object[]): Promise<ChildProcess> {
  const readers = fork(fileURLToPath(new URL("stream-readers.mjs", import.meta.url)), { execArgv: [] });
  const open = next<{ open: true }>(readers);
  readers.send({ streams });
  await open;
  return readers;
}

function ask<Answer>(readers: ChildProcess, question: string): Promise<Answer> {
  const answer = next<Answer>(readers);
  readers.send(question);
  return answer;
}

/** The next message of the process, which fails if the process ends before. */
async function next<Message>(readers: ChildProcess): Promise<Message> {
  const ended = new AbortController();
  try {
    const [message] = await Promise.race([
      once(readers, "message", { signal: ended.signal }),
      once(readers, "exit", { signal: ended.signal }).then(() => {
        throw new Error("the readers have ended");
      }),
    ]);
    return message as Message;
  } finally {
    ended.abort();
  }
}

/** Watches the memory of a process until the returned function is called, which returns its maximum. */
function watchMemory(pid: number | undefined): () => number {
  let most = 0;
  const look = () => {
    most = Math.max(most, megabytesOf(pid));
  };
  const timer = setInterval(look, 500);
  return () => {
    clearInterval(timer);
    look();
    return most;
  };
}
