export { callbackToken, isCallbackToken } from "./callback-token.js";
export { createRequest, insertRequests, type NewRequest } from "./create-request.js";
export { IDEMPOTENCY_KEY_DAYS } from "./idempotency-keys.js";
export {
  type DueRequest,
  type JobData,
  JobQueues,
  QUEUE,
  QUEUED_COLUMNS,
  type QueuedRequest,
} from "./job-queues.js";
export { DatabaseAway, NotBegun, QueueWorker } from "./queue-worker.js";
export { pausedQueues, QUEUES, queueCounts } from "./queues.js";
export { connectRedis, type RedisConnection } from "./redis-connection.js";
export { registeredWorker, registeredWorkers, registerWorker } from "./registered-workers.js";
export { RUNNABLE } from "./runnable.js";
export { countUnfinished, type UnfinishedCounts } from "./unfinished-counts.js";
export { deliveryJob, LOOK, lookJob, WEBHOOK_QUEUES, type WebhookJob } from "./webhook-jobs.js";
