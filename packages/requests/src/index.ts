export { callbackToken, isCallbackToken } from "./callback-token.js";
export { IAM_POLICIES, type PolicyDocument } from "./iam-policies.js";
export { type AcceptedRequest, asAccepted, insertRequests, type NewRequest, openRequest } from "./open-request.js";
export {
  type InputOf,
  OPERATIONS,
  type OperationName,
  operation,
  QUIET_TYPES,
  type RequestTypeName,
  type ResourceType,
  type StageOf,
} from "./operations.js";
export { REGION_NAMES } from "./regions.js";
export { type Notification, type NotificationData, openRedis, QUEUES, RequestNotifier } from "./request-notifier.js";
export { REQUEST_TYPES } from "./request-types.js";
export { APPLICATION_ROLES, SERVER_ROLES, type ServerRole } from "./server-roles.js";
