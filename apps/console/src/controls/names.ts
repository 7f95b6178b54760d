import { useQuery } from "@tanstack/react-query";
import { gantry } from "../api.js";
import { nameOf } from "./record-link.js";

const MOST = 100;
/** The lists of the API whose records are named by an id in other lists. */
const LISTS = { environments: "environment", networks: "network", servers: "server" };

/** The names of an account's newest records, as the API's ids and names; none until they are read. */
export function useNames(account: string, collection: keyof typeof LISTS): readonly (readonly [string, string])[] {
  const { data } = useQuery({
    queryKey: [LISTS[collection], "list", account, "names"],
    refetchOnMount: "always",
    queryFn: ({ signal }) =>
      gantry[collection]
        .list({ account: [account], per_page: MOST }, { signal })
        .page()
        .then(({ items }) => items as Parameters<typeof nameOf>[0][]),
  });
  return (data ?? []).map((record) => [String(record.id), nameOf(record)]);
}

/** The name of the record of a URL, or undefined if it is not among them. */
export function nameAt(names: readonly (readonly [string, string])[], url: string | null): string | undefined {
  const id = url?.split("/").at(-1);
  return id === undefined ? undefined : (names.find(([each]) => each === id)?.[1] ?? `no. ${id}`);
}
