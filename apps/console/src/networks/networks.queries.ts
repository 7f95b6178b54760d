import type { ProviderLocation } from "@gantry/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { gantry } from "../api.js";

const PAGE_SIZE = 50;
const MOST = 100;

export const networksQuery = (account: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ["network", "list", account, cursor],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => gantry.networks.list({ account: [account], per_page: PAGE_SIZE }, { signal }).page(cursor),
  });

export const providersQuery = (account: string) =>
  queryOptions({
    queryKey: ["provider", "list", account],
    queryFn: ({ signal }) => gantry.accounts.providers(account, { per_page: MOST }, { signal }).page(),
  });

/** The regions of a provider that are not disabled. */
export const regionsQuery = (provider: number) =>
  queryOptions({
    queryKey: ["regions", provider],
    queryFn: async ({ signal }) => {
      const { body } = await gantry.call("GET", `/providers/${provider}/locations`, {
        query: { per_page: MOST },
        signal,
      });
      const all = (body as { provider_locations: ProviderLocation[] }).provider_locations;
      return all.filter(({ parent, disabled_at }) => parent === null && disabled_at === null);
    },
  });
