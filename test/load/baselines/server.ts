import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readEnv } from "@gantry/runtime";
import { Queue } from "bullmq";
import express, { type RequestHandler } from "express";
import helmet from "helmet";
import { Redis } from "ioredis";
import pg from "pg";
import { pinoHttp } from "pino-http";
import { v7 as uuidv7 } from "uuid";

/*
 * The baseline of the API: an express server with the minimum of the same work. `read-bare` reads one row; `read` adds the
 * headers and the log of a server in production; `accept` writes the rows of POST /networks in one statement and adds one job.
 */
const [mode, accountId, userId] = process.argv.slice(2);
const env = readEnv();
const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL_SIZE });
const app = express();
app.disable("x-powered-by").disable("etag");

const readNetwork: RequestHandler = async (input, res) => {
  const text = "SELECT * FROM networks WHERE id = $1";
  const { rows } = await pool.query({ name: "read", text, values: [input.params.id] });
  res.json({ network: rows[0] });
};

const ACCEPT = `
  WITH network AS (
    INSERT INTO networks (id, account_id, provider_id, location, cidr) VALUES ($1, $2, $3, $4, $5))
  INSERT INTO requests (id, account_id, type, user_id, resource_type, resource_id, trace_id, created_at, updated_at,
    queue_key, input, deadline_at)
  VALUES ($6, $2, 'provision_network', $7, 'network', $1::text, $8, $9, $9, 'network/' || $1::text, $10, $11)`;

function acceptNetwork(): RequestHandler {
  const connection = new Redis(env.REDIS_URL, { maxRetriesPerRequest: null });
  const queue = new Queue("requests", { connection, prefix: "{baseline}" });
  return async (input, res) => {
    const { provider, network } = input.body;
    const [networkId, id, now] = [uuidv7(), uuidv7(), new Date()];
    const deadline = new Date(now.getTime() + 30 * 60_000);
    const request = [id, userId, randomBytes(16).toString("hex"), now, { skipSubnets: false }, deadline];
    const values = [networkId, accountId, provider, network.location, network.cidr, ...request];
    await pool.query({ name: "accept", text: ACCEPT, values });
    await queue.add("run", { requestId: id }, { jobId: `${id}-0`, removeOnComplete: true, removeOnFail: true });
    res.json({ request: { id, type: "provision_network", created_at: now } });
  };
}

if (mode === "read") app.use(helmet(), pinoHttp());
if (mode === "accept") app.post("/networks", express.json(), acceptNetwork());
else app.get("/networks/:id", readNetwork);

const server = createServer(app).listen(0, "127.0.0.1");
await once(server, "listening");
for (const event of ["SIGTERM", "disconnect"]) process.on(event, () => process.exit(0));
process.send?.({ listening: (server.address() as AddressInfo).port });
