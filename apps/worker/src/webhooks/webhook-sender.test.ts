import { type Receiver, startReceiver } from "@gantry/test/support/receiver";
import { afterEach, describe, expect, it } from "@jest/globals";
import { WebhookSender } from "./webhook-sender.js";

const senders: WebhookSender[] = [];
const receivers: Receiver[] = [];

function sender(allowsPrivate: boolean): WebhookSender {
  const made = new WebhookSender(allowsPrivate);
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

const REFUSAL = "the address is private or reserved, which Gantry does not call";

/** Private and reserved addresses, in the forms in which a URL may name them. */
const PRIVATE = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "017700000001",
  "0",
  "0.0.0.0",
  "0.0.0.1",
  "localhost",
  "LOCALHOST",
  "10.0.0.1",
  "10.255.255.255",
  "0xa.0.0.1",
  "167772161",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "192.168.255.255",
  "3232235521",
  "169.254.169.254",
  "169.254.170.2",
  "0xa9fea9fe",
  "100.64.0.1",
  "192.0.0.1",
  "192.0.2.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:10.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[ff02::1]",
  "[2001:db8::1]",
];

describe("a sender that may call public addresses alone", () => {
  it("calls no private or reserved address, in any form", async () => {
    const { port, received } = await receiver();
    const made = sender(false);
    expect(PRIVATE.length).toBeGreaterThanOrEqual(40);
    const sent = await Promise.all(
      PRIVATE.map(async (host) => [host, (await made.post(`http://${host}:${port}/hook`, {}, "{}")).error]),
    );
    expect(sent.filter(([, error]) => error !== REFUSAL)).toEqual([]);
    expect(received).toEqual([]);
  });

  it("looks at the address that it connects to, also where a name has two, or another one at each look", async () => {
    const { port, received } = await receiver();
    const answers = [
      [{ address: "127.0.0.1", family: 4 }],
      [
        { address: "93.184.215.14", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ],
      [{ address: "::1", family: 6 }],
    ];
    const looked: string[] = [];
    const made = new WebhookSender(false, (name, options, done) => {
      looked.push(name);
      const addresses = answers[looked.length - 1] ?? [];
      if (options.all) done(null, addresses);
      else done(null, addresses[0]?.address ?? "", 4);
    });
    senders.push(made);
    for (const _ of answers)
      expect(await made.post(`http://hooks.example.com:${port}/hook`, {}, "{}")).toMatchObject({ error: REFUSAL });
    expect(looked).toEqual(answers.map(() => "hooks.example.com"));
    expect(received).toEqual([]);
  });

  it("would reach this machine where that is allowed", async () => {
    const { port, received } = await receiver();
    expect(await sender(true).post(`http://127.1:${port}/hook`, {}, "{}")).toMatchObject({ status: 204 });
    expect(received).toHaveLength(1);
  });
});

describe("a sender", () => {
  it("follows no redirect, and tells the status", async () => {
    const target = await receiver();
    const { url } = await receiver((_, response) =>
      response.writeHead(307, { Location: target.url }).end("over there"),
    );
    expect(await sender(true).post(url, {}, "{}")).toMatchObject({ status: 307, answer: "over there" });
    expect(target.received).toEqual([]);
  });

  it("waits five seconds for an answer, and tells that there was none", async () => {
    const { url } = await receiver(() => {});
    const { error, status, durationMs } = await sender(true).post(url, {}, "{}");
    expect([error, status]).toEqual(["there was no answer within 5 s", undefined]);
    expect(durationMs).toBeGreaterThanOrEqual(4900);
  }, 30_000);

  it("takes the status of an answer whose body never ends, and keeps the first KiB of one that is long", async () => {
    const endless = await receiver((_, response) => response.writeHead(200).write("begun"));
    const long = await receiver((_, response) => response.writeHead(500).end("x".repeat(100_000)));
    const [first, second] = await Promise.all([
      sender(true).post(endless.url, {}, "{}"),
      sender(true).post(long.url, {}, "{}"),
    ]);
    expect(first).toMatchObject({ status: 200, answer: "begun" });
    expect(second).toMatchObject({ status: 500, answer: "x".repeat(1024) });
  }, 30_000);

  it("tells why a call failed", async () => {
    const gone = await receiver();
    await gone.close();
    const cut = await receiver((_, response) => response.destroy());
    const made = sender(true);
    expect(await made.post(gone.url, {}, "{}")).toMatchObject({ error: "the call failed: ECONNREFUSED" });
    expect(await made.post(cut.url, {}, "{}")).toMatchObject({ error: "the call failed: ECONNRESET" });
    expect(await made.post("https://no-such-name.invalid/", {}, "{}")).toMatchObject({
      error: expect.stringMatching(/^the call failed: E/),
    });
  }, 30_000);
});
