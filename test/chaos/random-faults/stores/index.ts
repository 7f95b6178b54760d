import { pgbouncerStores } from "./pgbouncer.js";
import { postgresTlsStores } from "./postgres-tls.js";
import { redisClusterStores } from "./redis-cluster.js";
import { redisSentinelStores } from "./redis-sentinel.js";
import { redisTlsStores } from "./redis-tls.js";
import { singleStores } from "./single.js";
import type { StoreOptions, Stores } from "./stores.js";

/** The stores that a campaign can run on. */
export const STORES = {
  single: singleStores,
  "redis-tls": redisTlsStores,
  "redis-sentinel": redisSentinelStores,
  "redis-cluster": redisClusterStores,
  "postgres-tls": postgresTlsStores,
  pgbouncer: pgbouncerStores,
} satisfies Record<string, (options: StoreOptions) => Promise<Stores>>;

export type StoresName = keyof typeof STORES;

export function isStoresName(name: string): name is StoresName {
  return Object.hasOwn(STORES, name);
}
