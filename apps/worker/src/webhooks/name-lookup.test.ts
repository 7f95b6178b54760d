import { createHook } from "node:async_hooks";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { startReceiver } from "@gantry/test/support/receiver";
import { until } from "@gantry/test/support/until";
import { nameLookup } from "./name-lookup.js";
import { WebhookSender } from "./webhook-sender.js";

const NEVER_MS = 3_600_000;
const NO_SUCH_NAME = 0x8183;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

/** A name server that says nothing before `refuse`, and that no name exists after it. */
async function startNameServer() {
  const socket = createSocket("udp4");
  sockets.push(socket);
  const asked: [Buffer, RemoteInfo][] = [];
  const answer = ([query, { port, address }]: [Buffer, RemoteInfo]) => {
    const reply = Buffer.from(query);
    reply.writeUInt16BE(NO_SUCH_NAME, 2);
    socket.send(reply, port, address);
  };
  let isSilent = true;
  socket.on("message", (query, from) => {
    asked.push([query, from]);
    if (!isSilent) answer([query, from]);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const refuse = () => {
    isSilent = false;
    for (const each of asked) answer(each);
  };
  return { servers: [`127.0.0.1:${socket.address().port}`], asked, refuse };
}

it("ends a delivery at its time limit if the name server does not respond", async () => {
  const { servers, asked } = await startNameServer();
  const sender = new WebhookSender([], { lookup: nameLookup({ servers, limitMs: 50 }), timeoutMs: NEVER_MS });
  const { error } = await sender.post("http://silent.example/hook", {}, "{}");
  expect(error).toBe("the name silent.example could not be resolved: no name server answered in time");
  // One question for each family of addresses.
  expect(asked.length).toBeLessThanOrEqual(2);
  sender.close();
});

it("does not block the process's own look-ups while name servers do not respond", async () => {
  const { servers, asked, refuse } = await startNameServer();
  const sender = new WebhookSender([], { lookup: nameLookup({ servers, limitMs: NEVER_MS }), timeoutMs: NEVER_MS });
  const ended: string[] = [];
  const posts = Array.from({ length: 16 }, async (_, n) => {
    const { error } = await sender.post(`http://silent-${n}.example/hook`, {}, "{}");
    ended.push(error ?? "");
  });
  await until(async () => asked.length >= posts.length);
  await lookup("localhost");
  ended.push("localhost");
  refuse();
  await Promise.all(posts);
  expect(ended).toHaveLength(posts.length + 1);
  expect(ended.slice(1).every((error) => /could not be resolved/.test(error))).toBe(true);
  expect(ended[0]).toBe("localhost");
  sender.close();
});

it("does not use the process's look-ups unless configured to", async () => {
  const types = new Set<string>();
  const hook = createHook({ init: (_, type) => void types.add(type) }).enable();
  const sender = new WebhookSender([]);
  const { error } = await sender.post("http://nobody.invalid/hook", {}, "{}");
  hook.disable();
  expect(error).toMatch(/^the name nobody.invalid could not be resolved: /);
  expect(types).not.toContain("GETADDRINFOREQWRAP");
  sender.close();
});

it("finds localhost without a name server", async () => {
  const { port, received, close } = await startReceiver();
  const sender = new WebhookSender(["127.0.0.0/8", "::1/128"], { lookup: nameLookup({ servers: ["127.0.0.1:1"] }) });
  expect((await sender.post(`http://localhost:${port}/hook`, {}, "{}")).error).toBeUndefined();
  expect(received).toHaveLength(1);
  sender.close();
  await close();
});

it("refuses a name with a private address", async () => {
  const sender = new WebhookSender([]);
  const { error } = await sender.post("http://localhost:1/hook", {}, "{}");
  expect(error).toBe("the address is private or reserved, and Gantry does not call such addresses");
  sender.close();
});
