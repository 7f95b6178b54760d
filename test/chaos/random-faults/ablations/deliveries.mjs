import { WebhookDeliverer } from "../../../../apps/worker/dist/webhooks/webhook-deliverer.js";

// Workers look for new events only, and not for deliveries that are due.
Object.assign(WebhookDeliverer.prototype, {
  due() {
    return this.db.$queryRaw`
      SELECT w.id, w.account_id AS "accountId" FROM webhooks w WHERE EXISTS (SELECT FROM events e
        WHERE e.account_id = w.account_id AND (e.position, e.seq) > (w.position, w.seq) AND e.position < event_horizon())`;
  },
});
