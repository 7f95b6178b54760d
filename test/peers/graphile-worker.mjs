// https://worker.graphile.org: a job starts again from its beginning, after a crash in four hours.
import { run } from "graphile-worker";
import pg from "pg";
import { sendAll } from "./aws.mjs";
import { createNetwork } from "./network.mjs";
import { serve } from "./server.mjs";

// It asks for a pool as large as the concurrency, with handlers of errors.
const pgPool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 50 });
pgPool.on("error", console.error).on("connect", (client) => client.on("error", console.error));
const taskList = { create: ({ id }) => createNetwork(id, sendAll) };
const runner = await run({ pgPool, taskList, concurrency: 50, noHandleSignals: true });

// It removes a job that has ended well.
const STATE =
  "SELECT attempts >= max_attempts AND locked_at IS NULL AS failed FROM graphile_worker.jobs WHERE key = $1";
await serve(
  (id) => runner.addJob("create", { id }, { jobKey: id }),
  async (id) => {
    const [job] = (await pgPool.query(STATE, [id])).rows;
    return !job ? "finished" : job.failed ? "failed" : "running";
  },
);
