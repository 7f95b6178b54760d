import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { EC2Client } from "@aws-sdk/client-ec2";
import { awsRateSleeps, awsRateWait } from "@gantry/telemetry";
import { type RateLimit, rateLimitOf } from "./published-rates.js";

/** A call may be sent only in `seconds`, which is longer than it may hold a worker. Its Request sleeps until then. */
export class RateLimited extends Error {
  constructor(readonly seconds: number) {
    super(`the call may be sent in ${seconds.toFixed(1)} s`);
  }
}

/** "background" calls, for which no user waits, take only tokens that users' calls leave over. */
export type Priority = "normal" | "background";

/**
 * Takes a token for a call and returns the milliseconds until the call may be sent.
 *
 * @param call identifies the call: one that was rejected keeps a reservation under this name
 * @throws RateLimited if the wait is too long; no token is taken then
 */
export type AcquireToken = (limit: RateLimit, call: string, priority: Priority) => Promise<number>;

/** Makes each attempt at a call acquire a token before it is sent, also the SDK's own retries. */
export function rateLimit(
  serviceId: string,
  acquireToken: AcquireToken,
  priority: Priority,
): Parameters<EC2Client["middlewareStack"]["use"]>[0] {
  const limitRate =
    <Args extends { input: object }, Answer>(
      next: (args: Args) => Promise<Answer>,
      context: { commandName?: string },
    ) =>
    async (args: Args): Promise<Answer> => {
      const action = (context.commandName ?? "").replace(/Command$/, "");
      const limit = rateLimitOf(serviceId, action);
      const service = serviceId.toLowerCase();
      const waitMs = await acquireToken(limit, callKey(args.input), priority).catch((error) => {
        if (error instanceof RateLimited) awsRateSleeps.inc({ service });
        throw error;
      });
      if (waitMs > 0) {
        awsRateWait.observe({ service }, waitMs / 1000);
        await sleep(waitMs);
      }
      return next(args);
    };
  const position = { relation: "after", toMiddleware: "retryMiddleware", name: "rateLimit" } as const;
  return { applyToStack: (stack) => stack.addRelativeTo(limitRate, position) };
}

function callKey(input: object): string {
  return createHash("sha1").update(JSON.stringify(input)).digest("base64url");
}
