export { callbackToken, isCallbackToken } from "./callback-token.js";
export { IAM_POLICIES, type PolicyDocument } from "./iam-policies.js";
export {
  type DueRequest,
  type JobData,
  JobQueues,
  openRedis,
  QUEUE,
  QUEUED_COLUMNS,
  type QueuedRequest,
} from "./job-queues.js";
export {
  awsEngine,
  type ComputeOffers,
  type DatabaseClassOffer,
  type DatabaseOffers,
  type EngineOffer,
  type EngineVersion,
  isAurora,
  SPECIFICATION_AURORA,
} from "./offers.js";
export { type AcceptedRequest, asAccepted, insertRequests, type NewRequest, openRequest } from "./open-request.js";
export { pausedQueues, QUEUES, queueCounts } from "./queues.js";
export { PARTITIONS, type Partition, partitionOf, partitionOfArn, REGION_NAMES, regionIn } from "./regions.js";
export { registeredWorker, registeredWorkers, registerWorker } from "./registered-workers.js";
export {
  type InputOf,
  REQUEST_TYPE_NAMES,
  type RequestType,
  type RequestTypeName,
  requestTypeDefinition,
  requestTypes,
  type StageOf,
} from "./request-types.js";
export type { ModelOf } from "./resource-definition.js";
export {
  cloudObjectsOf,
  dependentsOf,
  modelOf,
  nameOf,
  parentsOf,
  partsOf,
  resourceTypes,
  wholesOf,
} from "./resource-facts.js";
export {
  type ComparedColumn,
  type ComparedType,
  comparedResources,
  type ResourceType,
  resources,
} from "./resources.js";
export { RUNNABLE } from "./runnable.js";
export { APPLICATION_ROLES, SERVER_ROLES, type ServerRole } from "./server-roles.js";
export {
  isEncryptable,
  isSpecificationFlavor,
  SPECIFICATION_DATABASE_FLAVORS,
  SPECIFICATION_FLAVORS,
  SPECIFICATION_VERSIONS,
} from "./specification-offers.js";
export { GANTRY_TAG_KEYS, type GantryTagKey, OWN_TAG_LIMIT, recordTags, type Tags, taggedTypes } from "./tags.js";
export {
  DATABASE_STORAGE_TYPES,
  type DatabaseStorageType,
  DEFAULT_DATABASE_STORAGE_GB,
  defaultVolumeType,
  exceededDatabaseStorage,
  exceededVolumeLimit,
  MAX_BOOT_IOPS,
  MAX_VOLUME_GB,
  VOLUME_TYPES,
  type VolumeType,
} from "./volume-limits.js";
export { LOOK, lookJob, turnJob, WEBHOOK_QUEUES, type WebhookTurn } from "./webhook-jobs.js";
