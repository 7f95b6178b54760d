export { address } from "./address.resource.js";
export { ALERT_TYPES, alert, SEVERITIES } from "./alert.resource.js";
export { autoScalingGroup } from "./auto-scaling-group.resource.js";
export { databaseServer, maintenanceWindow, timeOfDay } from "./database-server.resource.js";
export { databaseServerSnapshot } from "./database-server-snapshot.resource.js";
export { databaseService } from "./database-service.resource.js";
export { drift, driftPlace, FINDINGS, serializePlace } from "./drift.resource.js";
export { environment } from "./environment.resource.js";
export { EVENT_SUBJECTS, EVENT_TYPES, type EventType, eventRecord, renderEvent } from "./event.resource.js";
export {
  compareCursors,
  cursorOf,
  type EventCursor,
  type EventPage,
  type EventSelection,
  idOfCursor,
  readEvents,
  readHorizon,
  START,
  selects,
} from "./events.js";
export { firewall } from "./firewall.resource.js";
export { firewallRule } from "./firewall-rule.resource.js";
export { iamRole } from "./iam-role.resource.js";
export { EC2_TRUST, trustDocument } from "./iam-role.trust.js";
export { network } from "./network.resource.js";
export { provider } from "./provider.resource.js";
export { request } from "./request.resource.js";
export { percentOf, REQUEST_STATES, type RequestState, STATE, stateOf } from "./request-state.js";
export {
  ago,
  iso,
  isoOrNull,
  type Link,
  linkOrNull,
  linkUnder,
  maskUrl,
  type Resource,
  resource,
  timestamp,
} from "./resource.js";
export { server } from "./server.resource.js";
export { snapshot } from "./snapshot.resource.js";
export { subnet } from "./subnet.resource.js";
export { deletableTimestamps, deletableTimestampsOf, timestamps, timestampsOf } from "./timestamps.js";
export { volume } from "./volume.resource.js";
export { webhook } from "./webhook.resource.js";
