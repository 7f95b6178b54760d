import { randomUUID } from "node:crypto";
import type { Db } from "@gantry/db";
import { type BenchEnvironment, REGION, ZONES } from "./bench-environment.js";
import { medianOf } from "./statistics.js";

const ROUNDS = 300;
const WARM_UP = 50;
const BATCH = 1000;

/** The median time of one list page in an account with few servers and in one with many. */
export interface ListFigures {
  fewMs: number;
  manyMs: number;
}

/** Reads each page of servers alternately in an account with 100 servers and in one with 10,000. */
export async function measureLists(
  { db, userId, token }: BenchEnvironment,
  api: string,
): Promise<Record<string, ListFigures>> {
  const few = await accountWithServers(db, userId, 100);
  const many = await accountWithServers(db, userId, 10_000);
  const headers = { authorization: `Bearer ${token}` };
  // The API caches the token's memberships, which do not include the new accounts yet.
  await new Promise((resolve) => setTimeout(resolve, 6000));

  const pages: Record<string, (account: typeof few) => string> = {
    page: ({ accountId }) => `/accounts/${accountId}/servers`,
    page_of_100: ({ accountId }) => `/accounts/${accountId}/servers?per_page=100`,
    last_page: ({ accountId, lastPage }) => `/accounts/${accountId}/servers?page=${lastPage}`,
    of_environment: ({ environmentId }) => `/environments/${environmentId}/servers`,
    by_role: ({ accountId }) => `/accounts/${accountId}/servers?role=app`,
  };
  const figures: Record<string, ListFigures> = {};
  for (const [name, pathOf] of Object.entries(pages)) {
    const times = { few: [] as number[], many: [] as number[] };
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      for (const [size, account] of [["few", few] as const, ["many", many] as const]) {
        const ms = await measureMs(`${api}${pathOf(account)}`);
        if (round >= 0) times[size].push(ms);
      }
    }
    figures[name] = { fewMs: medianOf(times.few), manyMs: medianOf(times.many) };
  }
  return figures;

  async function measureMs(url: string): Promise<number> {
    const start = performance.now();
    const response = await fetch(url, { headers });
    const { servers } = (await response.json()) as { servers: unknown[] };
    if (!response.ok || servers.length === 0) throw new Error(`${url} returned ${response.status} without servers`);
    return performance.now() - start;
  }
}

async function accountWithServers(db: Db, userId: string, count: number) {
  const accountId = randomUUID();
  await db.account.create({ data: { id: accountId, name: `${count} servers` } });
  await db.membership.create({ data: { id: randomUUID(), accountId, userId, role: "owner" } });
  const { id: providerId } = await db.provider.create({ data: { accountId, type: "aws", externalId: randomUUID() } });
  const parents = { accountId, providerId, region: REGION };
  const { id: environmentId } = await db.environment.create({
    data: { ...parents, name: "bench", internalPublicKey: "", internalPrivateKey: new Uint8Array() },
  });
  const now = Date.now();
  for (let done = 0; done < count; done += BATCH) {
    await db.server.createMany({
      data: Array.from({ length: Math.min(BATCH, count - done) }, (_, i) => ({
        ...parents,
        environmentId,
        role: i % 2 ? "app" : "util",
        name: `server-${done + i}`,
        flavor: "t3.medium",
        location: ZONES[i % ZONES.length] as string,
        state: "running",
        provisionedId: `i-${done + i}`,
        createdAt: new Date(now - (count - done - i) * 1000),
      })),
    });
  }
  await db.$executeRaw`ANALYZE servers`;
  return { accountId, environmentId, lastPage: Math.ceil(count / 20) };
}
