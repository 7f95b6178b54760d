import type { ProviderLocation } from "@gantry/client";
import { queryOptions } from "@tanstack/react-query";
import { gantry } from "../api.js";

const MOST = 100;

/** What a form offers: the value that is sent, and what a person reads. */
export type Choices = readonly (readonly [value: string, label: string])[];

/** The providers of an account. */
export const providersQuery = (account: string) =>
  queryOptions({
    queryKey: ["provider", "list", account, "choices"],
    queryFn: async ({ signal }): Promise<Choices> => {
      const { items } = await gantry.accounts.providers(account, { per_page: MOST }, { signal }).page();
      return items.map(({ id, name, provisioned_id }) => [String(id), name ?? provisioned_id ?? `provider ${id}`]);
    },
  });

/** The regions of a provider that are not disabled. */
export const regionsQuery = (provider: string) =>
  queryOptions({
    queryKey: ["regions", provider],
    queryFn: async ({ signal }): Promise<Choices> => {
      const query = { per_page: MOST };
      const { body } = await gantry.call("GET", `/providers/${provider}/locations`, { query, signal });
      return (body as { provider_locations: ProviderLocation[] }).provider_locations
        .filter(({ parent, disabled_at }) => parent === null && disabled_at === null)
        .map(({ location_id: id, location_name: name }) => [id, id === name ? id : `${id} · ${name}`] as const)
        .sort(([one], [other]) => one.localeCompare(other));
    },
  });
