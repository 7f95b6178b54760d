import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  originValidationResponse,
} from "@modelcontextprotocol/server";

const LOOPBACK = "127.0.0.1";

/** A server of the protocol over HTTP on the loopback address. */
export interface HttpServer {
  url: string;
  close(): Promise<void>;
}

/**
 * Serves the protocol to those who send `secret` as a bearer token. Calls with the name of another host, or from a web
 * page of another origin, are refused: a page that makes its name resolve to this machine reaches nothing.
 *
 * @param port 0 for any that is free
 */
export async function serveHttp(factory: () => McpServer, port: number, secret: string): Promise<HttpServer> {
  const handler = createMcpHandler(factory);
  const answer = async (request: Request): Promise<Response> =>
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    (isBearer(request, secret) ? handler.fetch(request) : unauthorized());
  const server = createServer((input, output) => {
    respond(input, output, answer).catch(() => output.destroy());
  });
  server.listen(port, LOOPBACK);
  await once(server, "listening");
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}/mcp`,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function isBearer({ headers }: Request, secret: string): boolean {
  const given = Buffer.from(headers.get("authorization") ?? "");
  const wanted = Buffer.from(`Bearer ${secret}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function unauthorized(): Response {
  const headers = { "Content-Type": "text/plain", "WWW-Authenticate": "Bearer" };
  return new Response("send Authorization: Bearer and the secret that gantry mcp printed\n", { status: 401, headers });
}

async function respond(
  input: IncomingMessage,
  output: ServerResponse,
  answer: (request: Request) => Promise<Response>,
) {
  const end = new AbortController();
  output.once("close", () => end.abort());
  const { status, headers, body } = await answer(requestOf(input, end.signal));
  output.writeHead(status, Object.fromEntries(headers));
  if (!body) output.end();
  else await pipeline(Readable.fromWeb(body as ReadableStream), output);
}

function requestOf(input: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/" } = input;
  const headers = new Headers();
  for (const [name, value] of Object.entries(input.headersDistinct))
    for (const each of value ?? []) headers.append(name, each);
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, `http://${LOOPBACK}`), {
    method,
    headers,
    signal,
    ...(hasBody && { body: Readable.toWeb(input) as unknown as BodyInit, duplex: "half" }),
  } as RequestInit);
}
