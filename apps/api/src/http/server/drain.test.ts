import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { drainable } from "./drain.js";

const agent = new Agent({ keepAlive: true });
let server: Server;

afterEach(() => {
  agent.destroy();
  server.closeAllConnections();
});

it("completes responses in progress, then closes their connections", async () => {
  let answer = () => {};
  const received = new Promise<void>((resolve) => {
    server = createServer((_input, reply: ServerResponse) => {
      answer = () => reply.end("the whole answer");
      resolve();
    });
  });
  const drain = drainable(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const response = once(get({ port, host: "127.0.0.1", agent }), "response");
  await received;
  const drained = drain(async () => answer());
  const [reply] = (await response) as [IncomingMessage];
  expect(reply.headers.connection).toBe("close");
  const [text] = await once(reply.setEncoding("utf8"), "data");
  expect(text).toBe("the whole answer");
  await drained;
  await expect(once(get({ port, host: "127.0.0.1", agent }), "response")).rejects.toThrow("ECONNREFUSED");
});

it("fails at once with the server's error, and still closes the app", async () => {
  server = createServer();
  const drain = drainable(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  let failure: unknown;
  drain(() => new Promise(() => {})).catch((error: Error) => {
    failure = error.message;
  });
  server.emit("error", new Error("broken"));
  await nextTurn();
  expect(failure).toBe("broken");
});
