import { pgbouncerStores } from "./pgbouncer.js";
import { redisClusterStores } from "./redis-cluster.js";
import { redisSentinelStores } from "./redis-sentinel.js";
import { singleStores } from "./single.js";
import type { StoreOptions, Stores } from "./stores.js";
import { tlsStores } from "./tls.js";

/** The stores that a campaign can run on. */
export const STORES = {
  single: singleStores,
  tls: tlsStores,
  "redis-sentinel": redisSentinelStores,
  "redis-cluster": redisClusterStores,
  pgbouncer: pgbouncerStores,
} satisfies Record<string, (options: StoreOptions) => Promise<Stores>>;

export type StoresName = keyof typeof STORES;

export function isStoresName(name: string): name is StoresName {
  return Object.hasOwn(STORES, name);
}
