import type { GantryEvent } from "./events.js";

/** A delivery that must not be trusted. */
export class WebhookInvalid extends Error {
  override readonly name = "WebhookInvalid";

  constructor(
    readonly reason: "missing_header" | "bad_signature" | "too_old" | "not_text",
    message: string,
  ) {
    super(message);
  }
}

/** The body of a delivery. */
export interface WebhookDelivered {
  type: GantryEvent["type"] | "ping";
  timestamp: string;
  data: GantryEvent;
}

/**
 * Verifies a delivery as Standard Webhooks 1.0 describes, and returns its body.
 *
 * @param secret the webhook's secret, or several during a rotation
 * @param headers of the delivery; the case of their names does not matter
 * @param body the text as it arrived: parsed and written again it would have another signature
 * @throws WebhookInvalid with the reason
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  body: string | Uint8Array,
  { toleranceSeconds = 300, now = new Date() }: { toleranceSeconds?: number; now?: Date } = {},
): Promise<WebhookDelivered> {
  if (typeof body !== "string" && !(body instanceof Uint8Array))
    throw new WebhookInvalid("not_text", "the body is not the text that arrived; verify it before it is parsed");
  const [id, time, signatures] = ["id", "timestamp", "signature"].map((name) => headerOf(headers, `webhook-${name}`));
  const age = now.getTime() / 1000 - Number(time);
  if (!Number.isFinite(age) || Math.abs(age) > toleranceSeconds)
    throw new WebhookInvalid(
      "too_old",
      `the delivery was signed at ${time}, more than ${toleranceSeconds} seconds from now`,
    );
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${time}.${text}`);
  for (const one of typeof secret === "string" ? [secret] : secret)
    if (await matches(one, signed, signatures ?? "")) return JSON.parse(text) as WebhookDelivered;
  throw new WebhookInvalid("bad_signature", "no signature of the delivery was made with this secret");
}

async function matches(secret: string, signed: Uint8Array<ArrayBuffer>, signatures: string): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(secret.replace(/^whsec_/, "")), algorithm, false, [
    "verify",
  ]);
  for (const signature of signatures.split(" ")) {
    const [version, value = ""] = signature.split(",");
    if (version === "v1" && (await crypto.subtle.verify("HMAC", key, bytesOf(value), signed))) return true;
  }
  return false;
}

function headerOf(headers: Parameters<typeof verifyWebhook>[1], name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
  const text = Array.isArray(value) ? value[0] : value;
  if (!text) throw new WebhookInvalid("missing_header", `the delivery has no header ${name}`);
  return text;
}

/** The bytes of a text in base64; empty if it is none. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(1);
  }
}
