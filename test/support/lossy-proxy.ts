import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";

/** An HTTP proxy that loses answers of changes after the server has given them. */
export interface LossyProxy {
  url: string;
  /** The changes that were sent with each Idempotency-Key, as digests of method, path and body. */
  changes: ReadonlyMap<string, Set<string>>;
  /** How many answers of changes arrived whole, and how many did not. */
  counts: { passed: number; lost: number };
  close(): Promise<void>;
}

const FATES = ["pass", "pass", "pass", "drop", "delay", "cut"] as const;
type Fate = (typeof FATES)[number];

/**
 * @param delayMs the time after which a delayed answer arrives, longer than the client waits
 * @param fateOf what happens to the answer to a change; by default, half of them are lost
 */
export async function startLossyProxy(
  target: string,
  delayMs: number,
  fateOf: (url: string) => Fate = () => FATES[Math.floor(Math.random() * FATES.length)] as Fate,
): Promise<LossyProxy> {
  const changes = new Map<string, Set<string>>();
  const counts = { passed: 0, lost: 0 };
  const server = createServer(async (input, output) => {
    const body = await buffer(input);
    const { method = "", url = "", headers } = input;
    const key = String(headers["idempotency-key"]);
    if (method !== "GET") {
      const digest = createHash("sha256").update(`${method} ${url} `).update(body).digest("hex");
      changes.set(key, (changes.get(key) ?? new Set()).add(digest));
    }
    const upstream = request(`${target}${url}`, { method, headers });
    upstream.on("error", () => output.destroy()).end(body);
    const [answer] = await once(upstream, "response");
    output.writeHead(answer.statusCode, answer.headers);
    if (method === "GET") return void answer.pipe(output);
    const text = await buffer(answer);
    const fate = fateOf(url);
    counts[fate === "pass" ? "passed" : "lost"]++;
    if (fate === "delay") await wait(delayMs);
    if (fate === "cut") output.write(text.subarray(0, text.length / 2), () => output.destroy());
    else if (fate === "drop") output.destroy();
    else output.end(text);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    changes,
    counts,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
