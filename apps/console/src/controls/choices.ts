import type { ProviderLocation } from "@gantry/client";
import { queryOptions } from "@tanstack/react-query";
import { gantry } from "../api.js";

const MOST = 100;
const MOST_PROVIDERS = 5;

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

/** The region that a form proposes: the one that most examples are about, if it is offered. */
export function defaultRegion(regions: Choices): string | undefined {
  return (regions.find(([id]) => id === "us-east-1") ?? regions[0])?.[0];
}

/** The id of a region or zone of a provider in the API. */
async function locationOf(provider: string, location: string, signal: AbortSignal): Promise<string | undefined> {
  const query = { location_id: [location] };
  const { body } = await gantry.call("GET", `/providers/${provider}/locations`, { query, signal });
  return (body as { provider_locations: ProviderLocation[] }).provider_locations[0]?.id;
}

/** The zones of a provider's region. */
export const zonesQuery = (provider: string, region: string) =>
  queryOptions({
    queryKey: ["zones", provider, region],
    queryFn: async ({ signal }): Promise<Choices> => {
      const id = await locationOf(provider, region, signal);
      if (!id) return [];
      const { items } = await gantry.providerLocations.zones(id, { per_page: MOST }, { signal }).page();
      return items.map(({ location_id }) => [location_id, location_id] as const).sort();
    },
  });

/** The flavors of servers that a provider's region or zone offers. */
export const flavorsQuery = (provider: string, location: string) =>
  queryOptions({
    queryKey: ["flavors", provider, location],
    queryFn: async ({ signal }): Promise<Choices> => {
      const id = await locationOf(provider, location, signal);
      if (!id) return [];
      const flavors = gantry.providerLocations.computeFlavors(id, { per_page: MOST }, { signal });
      return (await flavors.toArray({ max: 20 * MOST })).map(({ api_name: name, vcpus, memory }) => {
        const size = [vcpus !== null && `${vcpus} vCPU`, memory !== null && `${memory} GiB`].filter(Boolean);
        return [name, [name, ...size].join(" · ")] as const;
      });
    },
  });

/** The regions or zones of an account's providers; undefined if they are too many for a choice. */
export const placesQuery = (account: string, kind: "region" | "zone") =>
  queryOptions({
    queryKey: ["places", account, kind],
    queryFn: async ({ signal }): Promise<Choices | null> => {
      const providers = await gantry.accounts.providers(account, { per_page: MOST }, { signal }).page();
      const answers = await Promise.all(
        providers.items
          .slice(0, MOST_PROVIDERS)
          .map(({ id }) => gantry.call("GET", `/providers/${id}/locations`, { query: { per_page: MOST }, signal })),
      );
      const all = answers.flatMap(
        ({ body }) => (body as { provider_locations: ProviderLocation[] }).provider_locations,
      );
      if (providers.items.length > MOST_PROVIDERS || all.length >= MOST * answers.length) return null;
      const places = all.filter(({ parent, disabled_at }) => (parent === null) === (kind === "region") && !disabled_at);
      return [...new Set(places.map(({ location_id }) => location_id))].sort().map((id) => [id, id] as const);
    },
  });
