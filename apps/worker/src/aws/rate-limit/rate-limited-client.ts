import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { EC2Client } from "@aws-sdk/client-ec2";
import { type RateLimit, rateLimitOf } from "./published-rates.js";

/** A call must wait longer for its turn than a worker may be held up for. The Request sleeps until then. */
export class RateLimited extends Error {
  constructor(readonly seconds: number) {
    super(`the call's turn is in ${seconds.toFixed(1)} s`);
  }
}

/** How a client makes calls: at once where AWS's rates allow, or only while many are left, for what users do not wait for. */
export type Priority = "normal" | "background";

/**
 * Takes a token for a call and gives how many milliseconds from now it may be sent.
 *
 * @param call tells the call from others; one that was told to come later has its place in the line under this name
 * @throws TurnLater where that is too long to wait for
 */
export type AcquireToken = (toll: RateLimit, call: string, urgency: Priority) => Promise<number>;

/** Has each attempt at a call pay before it is sent, those of the SDK's own retries too. */
export function withRateLimit<Client extends { middlewareStack: unknown; config: { serviceId: string } }>(
  client: Client,
  acquireToken: AcquireToken,
  priority: Priority,
): Client {
  const stack = client.middlewareStack as EC2Client["middlewareStack"];
  const toll =
    <Args extends { input: object }, Answer>(
      next: (args: Args) => Promise<Answer>,
      context: { commandName?: string },
    ) =>
    async (args: Args): Promise<Answer> => {
      const action = (context.commandName ?? "").replace(/Command$/, "");
      const limit = rateLimitOf(client.config.serviceId, action);
      const waitMs = await acquireToken(limit, callKey(args.input), priority);
      if (waitMs > 0) await sleep(waitMs);
      return next(args);
    };
  stack.addRelativeTo(toll, { relation: "after", toMiddleware: "retryMiddleware", name: "toll" });
  return client;
}

function callKey(input: object): string {
  return createHash("sha1").update(JSON.stringify(input)).digest("base64url");
}
