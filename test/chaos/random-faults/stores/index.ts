import { pgbouncerStores } from "./pgbouncer.js";
import { singleStores } from "./single.js";
import type { StoreOptions, Stores } from "./stores.js";

/** The stores that a campaign can run on. */
export const STORES = {
  single: singleStores,
  pgbouncer: pgbouncerStores,
} satisfies Record<string, (options: StoreOptions) => Promise<Stores>>;

export type StoresName = keyof typeof STORES;

export function isStoresName(name: string): name is StoresName {
  return Object.hasOwn(STORES, name);
}
