import type { LookupFunction } from "node:net";
import { PRIVATE_HOSTS } from "@gantry/test/support/private-hosts";
import { type Receiver, startReceiver } from "@gantry/test/support/receiver";
import { WebhookSender } from "./webhook-sender.js";

const senders: WebhookSender[] = [];
const receivers: Receiver[] = [];

function sender(...privateBlocks: string[]): WebhookSender {
  const made = new WebhookSender(privateBlocks);
  senders.push(made);
  return made;
}

async function receiver(...parameters: Parameters<typeof startReceiver>): Promise<Receiver> {
  const made = await startReceiver(...parameters);
  receivers.push(made);
  return made;
}

afterEach(async () => {
  for (const made of senders.splice(0)) made.close();
  for (const made of receivers.splice(0)) await made.close();
});

const REFUSAL = "the address is private or reserved, and Gantry does not call such addresses";

const LOOPBACK = { address: "127.0.0.1", family: 4 };
/** A public address at which no receiver listens. */
const PUBLIC = { address: "93.184.215.14", family: 4 };

/** A sender for public addresses whose first look-up returns the first of `answers`, and so on. */
function lookingUp(answers: { address: string; family: number }[][]) {
  const looked: string[] = [];
  const lookup: LookupFunction = (name, options, done) => {
    const addresses = answers[looked.length] ?? [];
    looked.push(name);
    if (options.all) done(null, addresses);
    else done(null, addresses[0]?.address ?? "", addresses[0]?.family ?? 4);
  };
  const made = new WebhookSender([], { lookup });
  senders.push(made);
  return { made, looked };
}

const LOOPBACK_BLOCK = "127.0.0.0/8";

describe("a sender that may call public addresses only", () => {
  it.each(["http", "https"])("calls no private or reserved address by %s, in any form", async (scheme) => {
    const { port, received } = await receiver();
    const made = sender();
    expect(PRIVATE_HOSTS.length).toBeGreaterThanOrEqual(40);
    const sent = await Promise.all(
      PRIVATE_HOSTS.map(async (host) => [host, (await made.post(`${scheme}://${host}:${port}/hook`, {}, "{}")).error]),
    );
    expect(sent.filter(([, error]) => error !== REFUSAL)).toEqual([]);
    expect(received).toEqual([]);
  });

  it.each(["http", "https"])("looks at the addresses of a name by %s, also if it has two", async (scheme) => {
    const { port, received } = await receiver();
    const answers = [[LOOPBACK], [PUBLIC, LOOPBACK], [{ address: "::1", family: 6 }]];
    const { made, looked } = lookingUp(answers);
    for (const _ of answers)
      expect(await made.post(`${scheme}://hooks.example.com:${port}/hook`, {}, "{}")).toMatchObject({ error: REFUSAL });
    expect(looked).toEqual(answers.map(() => "hooks.example.com"));
    expect(received).toEqual([]);
  });

  it("connects to the address that it checked, if the name has a public one first and a private one next", async () => {
    const { port, received } = await receiver();
    const { made, looked } = lookingUp([[PUBLIC], [LOOPBACK]]);
    const url = `http://hooks.example.com:${port}/hook`;
    const first = await made.post(url, {}, "{}");
    expect([first.status, looked.length]).toEqual([undefined, 1]);
    expect(first.error).not.toBe(REFUSAL);
    expect(await made.post(url, {}, "{}")).toMatchObject({ error: REFUSAL });
    expect(looked).toHaveLength(2);
    expect(received).toEqual([]);
  });

  it("would reach this machine if that is allowed", async () => {
    const { port, received } = await receiver();
    expect(await sender(LOOPBACK_BLOCK).post(`http://127.1:${port}/hook`, {}, "{}")).toMatchObject({ status: 204 });
    expect(received).toHaveLength(1);
  });
});

describe("a sender", () => {
  it("follows no redirect, and returns the status", async () => {
    const target = await receiver();
    const { url } = await receiver((_, response) =>
      response.writeHead(307, { Location: target.url }).end("over there"),
    );
    expect(await sender(LOOPBACK_BLOCK).post(url, {}, "{}")).toMatchObject({ status: 307, answer: "over there" });
    expect(target.received).toEqual([]);
  });

  it("waits five seconds for a response, and reports that there was none", async () => {
    const { url } = await receiver(() => {});
    const { error, status } = await sender(LOOPBACK_BLOCK).post(url, {}, "{}");
    expect([error, status]).toEqual(["there was no response within 5 s", undefined]);
  });

  it("returns the status of a response whose body never ends, and keeps the first KiB of a long one", async () => {
    const endless = await receiver((_, response) => response.writeHead(200).write("begun"));
    const long = await receiver((_, response) => response.writeHead(500).end("x".repeat(100_000)));
    const [first, second] = await Promise.all([
      sender(LOOPBACK_BLOCK).post(endless.url, {}, "{}"),
      sender(LOOPBACK_BLOCK).post(long.url, {}, "{}"),
    ]);
    expect(first).toMatchObject({ status: 200, answer: "begun" });
    expect(second).toMatchObject({ status: 500, answer: "x".repeat(1024) });
  });

  it("returns why a call failed", async () => {
    const gone = await receiver();
    await gone.close();
    const cut = await receiver((_, response) => response.destroy());
    const made = sender(LOOPBACK_BLOCK);
    expect(await made.post(gone.url, {}, "{}")).toMatchObject({ error: "the call failed: ECONNREFUSED" });
    expect(await made.post(cut.url, {}, "{}")).toMatchObject({ error: "the call failed: ECONNRESET" });
    expect(await made.post("https://no-such-name.invalid/", {}, "{}")).toMatchObject({
      error: expect.stringMatching(/^the name no-such-name.invalid could not be resolved: /),
    });
  });
});
