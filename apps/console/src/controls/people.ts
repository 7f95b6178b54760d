import type { User } from "@gantry/client";
import { queryOptions } from "@tanstack/react-query";
import { gantry } from "../api.js";

const MOST = 200;

/** The people of an account, by id. */
export const peopleQuery = (account: string) =>
  queryOptions({
    queryKey: ["user", "people", account],
    queryFn: async ({ signal }): Promise<Map<string, User>> => {
      const people = await gantry.accounts.users(account, { per_page: 100 }, { signal }).toArray({ max: MOST });
      return new Map(people.map((person) => [person.id, person]));
    },
  });
