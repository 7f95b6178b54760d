import { Vault } from "@gantry/db";
import { WebhookDeliverer } from "../webhooks/webhook-deliverer.js";
import { startWebhookQueue } from "../webhooks/webhook-queue.js";
import { WebhookSender } from "../webhooks/webhook-sender.js";
import type { Service } from "./service.js";

/** Delivers events to webhooks. */
export const webhooks: Service<"db" | "log" | "env" | "engine"> = ({ db, log, env, engine }) => {
  const sender = new WebhookSender(env.WEBHOOK_PRIVATE_ADDRESSES);
  const vault = new Vault(env.MASTER_KEY);
  const deliverer = new WebhookDeliverer({ db, vault, sender, log, isStopping: engine.isStopping });
  const stop = startWebhookQueue(deliverer, {
    redisUrl: env.REDIS_URL,
    prefix: env.QUEUE_PREFIX,
    log,
    sweepSeconds: env.SWEEP_SECONDS,
  });
  return async () => {
    await stop();
    sender.close();
  };
};
