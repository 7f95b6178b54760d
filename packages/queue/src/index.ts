export {
  type DueRequest,
  type JobData,
  JobQueues,
  QUEUE,
  QUEUED_COLUMNS,
  type QueuedRequest,
  subjectOf,
} from "./job-queues.js";
export { DatabaseAway, NotBegun, QueueWorker } from "./queue-worker.js";
export { pausedQueues, QUEUES, queueCounts } from "./queues.js";
export { connectRedis, type RedisConnection } from "./redis-connection.js";
export { registeredWorker, registeredWorkers, registerWorker } from "./registered-workers.js";
export { CHECK, checkJob, deliveryJob, WEBHOOK_QUEUES, type WebhookJob, webhookLookup } from "./webhook-jobs.js";
