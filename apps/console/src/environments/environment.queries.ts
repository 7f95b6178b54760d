import type { Environment, Network } from "@gantry/client";
import { queryOptions } from "@tanstack/react-query";
import { gantry } from "../api.js";

const MOST = 100;

/** The newest servers of an environment, at most a hundred. */
export const serversQuery = (environment: string) =>
  queryOptions({
    queryKey: ["server", "list", "environment", environment],
    queryFn: ({ signal }) => gantry.environments.servers(environment, { per_page: MOST }, { signal }).page(),
  });

/** The provider that an environment boots in: that of its network, or else the account's first. */
export const providerQuery = (account: string, { network }: Pick<Environment, "network">) =>
  queryOptions({
    queryKey: ["provider of a network", account, network],
    queryFn: async ({ signal }) => {
      if (!network) return (await gantry.accounts.providers(account, {}, { signal }).page()).items[0]?.id.toString();
      const { body } = await gantry.call("GET", new URL(network).pathname, { signal });
      return (body as { network: Network }).network.provider.split("/").at(-1);
    },
  });
