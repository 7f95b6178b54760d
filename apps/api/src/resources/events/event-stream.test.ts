import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { startApiTest } from "@gantry/test/support/api-test";

const { api, owner } = await startApiTest();
const sockets: Socket[] = [];
const server = createServer(api.app).on("connection", (socket) => sockets.push(socket));
await once(server.listen(0, "127.0.0.1"), "listening");
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function openStream(): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const headers = { Authorization: `Bearer ${owner.token}`, Accept: "text/event-stream" };
  const asked = get({ port, path: `/accounts/${owner.accountId}/events`, headers, agent: false });
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return answer;
}

/** Reads until the text has come. */
async function readUntil(answer: IncomingMessage, text: RegExp): Promise<string> {
  let read = "";
  for await (const chunk of answer.setEncoding("utf8")) {
    read += chunk;
    if (text.test(read)) break;
  }
  return read;
}

it("sends when to reconnect, and its cursor while nothing happens", async () => {
  expect(await readUntil(await openStream(), /: nothing new\nid: \d+-\d+\n\n/)).toMatch(/^retry: \d+\n\n/);
});

it("leaves nothing behind on a reused connection", async () => {
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const path = `/accounts/${owner.accountId}/audit/export`;
  const before = sockets.length;
  const counts: number[] = [];
  for (let n = 0; n < 3; n++) {
    const asked = get({ port, path, agent, headers: { Authorization: `Bearer ${owner.token}` } });
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    await once(answer.resume(), "end");
    counts.push(sockets.at(-1)?.listenerCount("timeout") ?? 0);
  }
  agent.destroy();
  expect(sockets.length).toBe(before + 1);
  expect(new Set(counts).size).toBe(1);
});
