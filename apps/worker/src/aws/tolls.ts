import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { EC2Client } from "@aws-sdk/client-ec2";
import { type Toll, tollOf } from "./rates.js";

/** A call must wait longer for its turn than a worker may be held up for. The Request sleeps until then. */
export class TurnLater extends Error {
  constructor(readonly seconds: number) {
    super(`the call's turn is in ${seconds.toFixed(1)} s`);
  }
}

/** How a client makes calls: at once where AWS's rates allow, or only while many are left, for what users do not wait for. */
export type Urgency = "now" | "spare";

/**
 * Takes a token for a call and gives how many milliseconds from now it may be sent.
 *
 * @param call tells the call from others; one that was told to come later has its place in the line under this name
 * @throws TurnLater where that is too long to wait for
 */
export type PayToll = (toll: Toll, call: string, urgency: Urgency) => Promise<number>;

/** Has each attempt at a call pay before it is sent, those of the SDK's own retries too. */
export function tolled<Client extends { middlewareStack: unknown; config: { serviceId: string } }>(
  client: Client,
  pay: PayToll,
  urgency: Urgency,
): Client {
  const stack = client.middlewareStack as EC2Client["middlewareStack"];
  const toll =
    <Args extends { input: object }, Answer>(
      next: (args: Args) => Promise<Answer>,
      context: { commandName?: string },
    ) =>
    async (args: Args): Promise<Answer> => {
      const action = (context.commandName ?? "").replace(/Command$/, "");
      const price = tollOf(client.config.serviceId, action);
      const waitMs = await pay(price, nameOf(args.input), urgency);
      if (waitMs > 0) await sleep(waitMs);
      return next(args);
    };
  stack.addRelativeTo(toll, { relation: "after", toMiddleware: "retryMiddleware", name: "toll" });
  return client;
}

function nameOf(input: object): string {
  return createHash("sha1").update(JSON.stringify(input)).digest("base64url");
}
