import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Env, Log } from "@gantry/runtime";
import { Registry } from "prom-client";
import { ready } from "./process.metrics.js";
import { collectNodeMetrics } from "./registries.js";

/** The state of a process: what `/health/ready` returns. The status is 200 if `ready` is true, else 503. */
export interface Readiness {
  ready: boolean;
  [fact: string]: unknown;
}

/** What a process shows on its metrics port. */
export interface Observed {
  registries: Registry[];
  readiness(): Promise<Readiness>;
  /** Brings the gauges up to date before every response. */
  refresh(): void | Promise<void>;
}

/**
 * Serves `/metrics`, `/health/live` and `/health/ready` without authentication on `METRICS_PORT`, if that is set.
 *
 * @returns a function that closes the server
 * @throws an Error that names the setting if the port is in use
 */
export async function serveMetrics(
  { METRICS_PORT: wanted, HOST: host }: Pick<Env, "METRICS_PORT" | "HOST">,
  observed: Observed,
  log: Log,
): Promise<() => Promise<void>> {
  if (wanted === undefined) return async () => {};
  collectNodeMetrics();
  const server = createServer((input, reply) => {
    answer(input, reply, observed).catch((error) => {
      log.warn({ err: error }, "reading metrics failed");
      reply.statusCode = 500;
      reply.end();
    });
  });
  server.listen(wanted, host);
  await once(server, "listening").catch((error) => {
    throw new Error(`METRICS_PORT: cannot listen on ${host}:${wanted}`, { cause: error });
  });
  const { port } = server.address() as AddressInfo;
  log.info({ host, port }, "metrics listening");
  return async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
}

async function answer(input: IncomingMessage, reply: ServerResponse, observed: Observed): Promise<void> {
  const path = input.url?.split("?", 1)[0];
  if (path === "/metrics") {
    // `refresh` counts the statements that wait, and so comes before the one of `readiness`.
    const [, readiness] = await Promise.all([observed.refresh(), observed.readiness()]);
    ready.set(Number(readiness.ready));
    const parts = await Promise.all(observed.registries.map((registry) => registry.metrics()));
    reply.setHeader("Content-Type", Registry.PROMETHEUS_CONTENT_TYPE);
    reply.end(parts.join("\n"));
  } else if (path === "/health/live") json(reply, 200, { live: true });
  else if (path === "/health/ready") {
    const readiness = await observed.readiness();
    json(reply, readiness.ready ? 200 : 503, readiness);
  } else {
    json(reply, 404, { errors: ["this port serves /metrics, /health/live and /health/ready"] });
  }
}

function json(reply: ServerResponse, status: number, body: object): void {
  reply.writeHead(status, { "Content-Type": "application/json" });
  reply.end(JSON.stringify(body));
}
