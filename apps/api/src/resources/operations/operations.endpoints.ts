import type { Tx } from "@gantry/db";
import { QUEUES, queueCounts, registeredWorker, registeredWorkers } from "@gantry/queue";
import { countUnfinished } from "@gantry/requests";
import { z } from "zod";
import type { AppContext } from "../../http/context.js";
import { endpoint } from "../../http/endpoint.js";
import { json } from "../../http/reply/reply.js";

const count = z.int().min(0);

const requestCounts = z
  .object({
    due: count.describe("Those that could run or be checked now, but that no worker has claimed"),
    running: count.describe("Those that a live worker has claimed"),
    waiting: count.describe("All others: they are sleeping, or an earlier Request on their resource is unfinished"),
    oldest_due_seconds: count
      .nullable()
      .describe(
        "How long the oldest due Request has been due, including its time behind an earlier Request; null if none is due",
      ),
    takeovers: count.describe("How often their workers were lost since the last progress"),
  })
  .meta({
    id: "RequestCounts",
    description: "The unfinished Requests of all accounts",
    example: { due: 2, running: 3, waiting: 7, oldest_due_seconds: 1, takeovers: 0 },
  });

const queue = z
  .object({
    name: z.enum(QUEUES),
    paused: z.boolean().describe("Whether the queue is paused, so that workers take no jobs"),
    waiting: count.describe("The jobs that workers can take, of any priority"),
    active: count,
    delayed: count,
    failed: count.describe("The number of failed jobs kept"),
    completed: count.describe("The number of completed jobs kept"),
  })
  .meta({
    id: "QueueCounts",
    example: { name: "requests", paused: false, waiting: 2, active: 3, delayed: 7, failed: 1, completed: 120 },
  });

const time = z.iso.datetime({ offset: true, precision: 3 });

const worker = registeredWorker
  .extend({ started_at: time, seen_at: time.describe("When it last registered; it registers every 5 s") })
  .meta({
    id: "RegisteredWorker",
    example: {
      id: "0190c4a2-1111-7111-8111-111111111111",
      host: "gantry-worker-1",
      pid: 17,
      version: "0.2.0",
      concurrency: 50,
      in_use: 3,
      started_at: "2026-11-24T09:00:00.000+00:00",
      seen_at: "2026-11-24T09:05:00.000+00:00",
    },
  });

const operations = z
  .object({
    requests: requestCounts,
    redis: z.enum(["ok", "unreachable"]).describe("Whether Redis responds to this API"),
    queues: z.array(queue).nullable().describe("Null if Redis is unreachable"),
    workers: z
      .array(worker)
      .nullable()
      .describe("The workers that registered within the last minute; null if Redis is unreachable"),
  })
  .meta({ id: "Operations" });

export const operationsEndpoints = [
  endpoint({
    route: "GET /operations",
    operation: "getOperations",
    summary: "Show the state of the unfinished requests, the queues and the workers; staff only",
    staffOnly: "only staff can see the state of the queues and workers",
    reply: json(z.object({ operations })),
    handle: async ({ db, redis, env }) => {
      const [requests, inRedis] = await Promise.all([countRequests(db), readRedis(redis, env.QUEUE_PREFIX)]);
      return { operations: { requests, ...inRedis } };
    },
  }),
];

function shown(registered: z.output<typeof registeredWorker>): z.output<typeof worker> {
  const { started_at, seen_at } = registered;
  return { ...registered, started_at: started_at.replace("Z", "+00:00"), seen_at: seen_at.replace("Z", "+00:00") };
}

async function countRequests(db: Tx): Promise<z.output<typeof requestCounts>> {
  const types = await countUnfinished(db);
  const sum = (name: "due" | "running" | "waiting" | "takeovers") =>
    types.reduce((total, counts) => total + counts[name], 0);
  const ages = types.flatMap(({ oldestDueSeconds }) => oldestDueSeconds ?? []);
  return {
    due: sum("due"),
    running: sum("running"),
    waiting: sum("waiting"),
    oldest_due_seconds: ages.length > 0 ? Math.floor(Math.max(...ages)) : null,
    takeovers: sum("takeovers"),
  };
}

async function readRedis(redis: AppContext["redis"], prefix: string) {
  const unreachable = { redis: "unreachable", queues: null, workers: null } as const;
  if (redis?.status !== "ready") return unreachable;
  try {
    const [queues, workers] = await Promise.all([queueCounts(redis, prefix), registeredWorkers(redis, prefix)]);
    return { redis: "ok", queues, workers: workers.map(shown) } as const;
  } catch {
    return unreachable;
  }
}
