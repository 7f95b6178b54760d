import { queryOptions } from "@tanstack/react-query";
import { gantry } from "../api.js";
import type { Choices } from "../controls/choices.js";
import type { Offers } from "./offers.js";

/** What AWS offers for databases in a region of a provider. */
export const offersQuery = (provider: string, region: string) =>
  queryOptions({
    queryKey: ["database offers", provider, region],
    queryFn: async ({ signal }) => {
      const query = { location: region };
      const { body } = await gantry.call("GET", `/providers/${provider}/database-server`, { query, signal });
      return (body as { database_server: Offers }).database_server;
    },
  });

/** The newest environments of an account, for a filter. */
export const environmentsQuery = (account: string) =>
  queryOptions({
    queryKey: ["environment", "list", account, "choices"],
    queryFn: async ({ signal }): Promise<Choices> => {
      const { items } = await gantry.accounts.environments(account, { per_page: 100 }, { signal }).page();
      return items.map(({ id, name }) => [String(id), name]);
    },
  });
