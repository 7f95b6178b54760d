import { readFileSync } from "node:fs";
import { QUEUE } from "@gantry/queue";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { type BenchEnvironment, type LaunchedProcess, REGION } from "../bench-environment.js";
import { API, WORKER } from "../build.js";
import { type FinishedRequest, requestClient } from "../request-client.js";
import type { Engine, EngineKind } from "./engine.js";

/** Gantry as the other benchmarks start it: an API and a worker. */
export function gantry(bench: BenchEnvironment): EngineKind {
  const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return { version: JSON.parse(manifest).version, prepare: () => prepare(bench) };
}

async function prepare(bench: BenchEnvironment): Promise<Engine> {
  const { awsAccount, token, providerId } = await bench.addTenant();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const network = { provider: providerId, network: { cidr: "10.0.0.0/16", location: REGION } };
  let api: LaunchedProcess | undefined;
  let worker: LaunchedProcess | undefined;
  const send = <T>(method: string, path: string, body?: object) =>
    requestClient(api?.url ?? "", token).send<T>(method, path, body);
  const close = async () => {
    await Promise.all([api?.stop(), worker?.stop()]);
    api = worker = undefined;
  };
  return {
    awsAccount,
    open: async () => {
      api = await bench.launch(API);
    },
    work: async () => {
      // A scan is the only work that no network asks for.
      worker ??= await bench.launch(WORKER, [], { DRIFT_SECONDS: "0" });
    },
    kill: async () => {
      await worker?.kill();
      worker = undefined;
    },
    close,
    remove: async () => {
      await Promise.all([api?.kill(), worker?.kill()]);
      const connection = new Redis(bench.redisUrl, { maxRetriesPerRequest: null });
      const queue = new Queue(QUEUE, { connection, prefix: "{gantry}" });
      await queue.obliterate({ force: true });
      await queue.close();
      connection.disconnect();
      await bench.clear();
    },
    pids: () => [api, worker].flatMap((each) => each?.pid ?? []),
    input: () => ({ url: `${api?.url}/networks`, method: "POST", headers, body: JSON.stringify(network) }),
    create: async () => {
      const { request } = await send<{ request: FinishedRequest }>("POST", "/networks", network);
      return request.id;
    },
    stateOf: async (id) => {
      const { request } = await send<{ request: FinishedRequest }>("GET", `/requests/${id}`);
      return !request.finished_at ? "running" : request.successful ? "finished" : "failed";
    },
  };
}
