import { createServer, type RequestListener, type Server } from "node:http";
import { handleClientErrors } from "../errors/client-errors.js";

/** Longer than load balancers keep an idle connection (60 s): none then sends on a connection that the server closes. */
const KEEP_ALIVE_MS = 75_000;
/** How much longer than announced: a process that stalls closes no connection on which a request has just arrived. */
const KEEP_ALIVE_BUFFER_MS = 15_000;

/** The longest that an input may take to arrive: its headers hold 16 KiB, its body 256. */
const INPUT_SECONDS = 30;

/**
 * Returns the HTTP server of an app, which does not listen yet. The server answers malformed HTTP, and input that does
 * not arrive in time, in the API's error shape.
 */
export function httpServer(app: RequestListener, { inputSeconds = INPUT_SECONDS } = {}): Server {
  const milliseconds = inputSeconds * 1000;
  const limits = { headersTimeout: milliseconds, requestTimeout: milliseconds };
  const server = createServer({ ...limits, connectionsCheckingInterval: milliseconds / 10 }, app);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.keepAliveTimeoutBuffer = KEEP_ALIVE_BUFFER_MS;
  handleClientErrors(server);
  return server;
}
