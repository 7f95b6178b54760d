export { callbackToken, isCallbackToken } from "./callback-token.js";
export { IAM_POLICIES, type PolicyDocument } from "./iam-policies.js";
export { type AcceptedRequest, asAccepted, insertRequests, type NewRequest, openRequest } from "./open-request.js";
export { REGION_NAMES } from "./regions.js";
export { type Notification, type NotificationData, openRedis, QUEUES, RequestNotifier } from "./request-notifier.js";
export { REQUEST_TYPE_NAMES } from "./request-type-names.js";
export {
  type InputOf,
  QUIET_TYPES,
  type RequestType,
  type RequestTypeName,
  type ResourceType,
  requestTypeDefinition,
  requestTypes,
  type StageOf,
} from "./request-types.js";
export { APPLICATION_ROLES, SERVER_ROLES, type ServerRole } from "./server-roles.js";
