export { AddressGuard, AddressRefused } from "./address-guard.js";
export { directDatabaseUrl, ownerDatabaseUrl } from "./database-addresses.js";
export { type Env, readEnv, SETTING_NAMES } from "./env.js";
export { growingPauseMs } from "./growing-pause.js";
export { createLog, type Log } from "./log.js";
export { OutageLog } from "./outage-log.js";
export { parseRedisAddress, type RedisAddress } from "./redis-address.js";
export { type Repetition, repeat } from "./repeat.js";
export { REMEDIES, whyServersCannotReport, whyUnreachableFromAws } from "./server-reports.js";
export {
  describeSettings,
  type SettingDescription,
  type SettingProperty,
  settingsSchema,
} from "./setting-descriptions.js";
export { sharedRead } from "./shared-read.js";
export { onShutdown } from "./shutdown.js";
export { currentTrace, parentSpanFrom, traceIdFrom, traceparent, withTrace } from "./trace.js";
