import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Response } from "express";
import { send } from "./send.js";

async function* endless(): AsyncGenerator<string> {
  for (;;) yield "x".repeat(100_000);
}

const server = createServer((_, res) => {
  const stream = { mediaType: "text/event-stream", chunks: endless() };
  void send(res as Response, { status: 200, text: undefined, stream }, 0.2);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it("disconnects a reader that stops reading, and ends its source", async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const asked = get({ port: (server.address() as AddressInfo).port, agent: false });
  const [[socket], [answer]] = (await Promise.all([once(server, "connection"), once(asked, "response")])) as [
    [Socket],
    [IncomingMessage],
  ];
  answer.pause().on("error", () => {});
  await once(socket, "close");
  expect(socket.destroyed).toBe(true);
  answer.destroy();
});
