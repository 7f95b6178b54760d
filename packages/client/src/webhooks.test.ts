import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { verifyWebhook } from "./webhooks.js";

const now = new Date("2026-11-24T09:00:00Z");
const secrets = Array.from({ length: 3 }, () => `whsec_${randomBytes(24).toString("base64")}`);
const [secret = "", other = "", former = ""] = secrets;
const body = JSON.stringify({
  type: "request.failed",
  timestamp: now.toISOString(),
  data: { id: "7", message: "größer € 𝄞" },
});
const seconds = String(now.getTime() / 1000);
const signed = (key: string, text = body, at = now) => new Webhook(key).sign("msg_1", at, text);
const headers = (signature: string, more: object = {}) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": seconds,
  "webhook-signature": signature,
  ...more,
});

it.each([
  ["one signature", secret, headers(signed(secret))],
  ["the second of two signatures", secret, headers(`${signed(other)} ${signed(secret)}`)],
  ["a signature by the former secret", [secret, former], headers(signed(former))],
  ["an unknown version beside v1", secret, headers(`v2,abc ${signed(secret)}`)],
  [
    "headers in capitals",
    secret,
    { "Webhook-Id": "msg_1", "WEBHOOK-TIMESTAMP": seconds, "Webhook-Signature": signed(secret) },
  ],
  ["headers as of fetch", secret, new Headers(headers(signed(secret)))],
  ["headers that Node has as lists", secret, headers("", { "webhook-signature": [signed(secret)] })],
  ["a secret without its prefix", secret.replace("whsec_", ""), headers(signed(secret))],
])("accepts %s", async (_, key, given) => {
  expect(await verifyWebhook(key, given, body, { now })).toEqual(JSON.parse(body));
  expect(await verifyWebhook(key, given, new TextEncoder().encode(body), { now })).toEqual(JSON.parse(body));
});

const late = new Date(now.getTime() + 301_000);
const early = new Date(now.getTime() - 301_000);
it.each([
  ["the signature of another secret", "bad_signature", secret, headers(signed(other)), body, now],
  ["a changed body", "bad_signature", secret, headers(signed(secret)), `${body} `, now],
  ["another id", "bad_signature", secret, headers(signed(secret), { "webhook-id": "msg_2" }), body, now],
  ["a signature that is no base64", "bad_signature", secret, headers("v1,%%%"), body, now],
  ["an empty signature", "bad_signature", secret, headers("v1,"), body, now],
  [
    "a v1 signature under another version",
    "bad_signature",
    secret,
    headers(signed(secret).replace("v1,", "v2,")),
    body,
    now,
  ],
  ["a delivery that is too old", "too_old", secret, headers(signed(secret)), body, late],
  ["a delivery from the future", "too_old", secret, headers(signed(secret)), body, early],
  [
    "a timestamp that is no number",
    "too_old",
    secret,
    headers(signed(secret), { "webhook-timestamp": "today" }),
    body,
    now,
  ],
  [
    "a delivery without a signature",
    "missing_header",
    secret,
    headers("", { "webhook-signature": undefined }),
    body,
    now,
  ],
  ["a delivery without an id", "missing_header", secret, headers(signed(secret), { "webhook-id": "" }), body, now],
  ["a body that was parsed", "not_text", secret, headers(signed(secret)), JSON.parse(body), now],
])("refuses %s", async (_, reason, key, given, text, at) => {
  await expect(verifyWebhook(key, given, text, { now: at })).rejects.toMatchObject({ name: "WebhookInvalid", reason });
});

it("agrees with standardwebhooks about bodies, secrets and signatures that are altered in one place", async () => {
  // That library reads the clock of the machine.
  const at = new Date();
  const stamp = String(Math.floor(at.getTime() / 1000));
  const good = signed(secret, body, at);
  const flip = (text: string, index: number) =>
    `${text.slice(0, index)}${text[index] === "A" ? "B" : "A"}${text.slice(index + 1)}`;
  const cases = [
    { signature: good, text: body },
    ...Array.from({ length: 12 }, (_, index) => ({ signature: flip(good, 3 + index), text: body })),
    ...Array.from({ length: 12 }, (_, index) => ({ signature: good, text: flip(body, index * 3) })),
  ];
  for (const { signature, text } of cases) {
    const given = headers(signature, { "webhook-timestamp": stamp });
    const expected = await Promise.resolve()
      .then(() => new Webhook(secret).verify(text, given))
      .then(
        () => true,
        (error: Error) => error.name === "SyntaxError",
      );
    const actual = await verifyWebhook(secret, given, text).then(
      () => true,
      (error: Error) => error.name === "SyntaxError",
    );
    expect([signature, text, actual]).toEqual([signature, text, expected]);
  }
});
