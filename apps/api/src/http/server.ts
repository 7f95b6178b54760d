import { createServer, type RequestListener, type Server } from "node:http";
import { handleClientErrors } from "./client-errors.js";

/** Longer than load balancers keep an idle connection (60 s): none then sends on a connection that the server closes. */
const KEEP_ALIVE_MS = 75_000;
/** How much longer than announced: a process that stalls closes no connection on which a request has just arrived. */
const KEEP_ALIVE_BUFFER_MS = 15_000;

/** Gives the HTTP server of an app, which does not listen yet. The server answers malformed HTTP in the API's error shape. */
export function httpServer(app: RequestListener): Server {
  const server = createServer(app);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.keepAliveTimeoutBuffer = KEEP_ALIVE_BUFFER_MS;
  handleClientErrors(server);
  return server;
}
