import type { Pages } from "@gantry/client";
import { queryOptions } from "@tanstack/react-query";
import { gantry } from "../api.js";

/** A diagram of more servers than these shows the newest. */
export const MOST_SERVERS = 500;
const PAGE = 100;

/** The records of a list, at most `most`, and how many there are. */
async function read<T>(pages: Pages<T>, most: number): Promise<{ items: T[]; total: number }> {
  const items: T[] = [];
  let total = 0;
  for await (const page of pages.pages()) {
    items.push(...page.items);
    total = page.total ?? items.length;
    if (items.length >= most) break;
  }
  return { items, total: Math.max(total, items.length) };
}

export const subnetsQuery = (network: string) =>
  queryOptions({
    queryKey: ["subnet", "list", network, "diagram"],
    queryFn: ({ signal }) => read(gantry.subnets.list({ network: [network], per_page: PAGE }, { signal }), PAGE),
  });

export const serversQuery = (network: string) =>
  queryOptions({
    queryKey: ["server", "list", network, "diagram"],
    queryFn: ({ signal }) =>
      read(gantry.servers.list({ network: [network], per_page: PAGE }, { signal }), MOST_SERVERS),
  });

export const databasesQuery = (network: string) =>
  queryOptions({
    queryKey: ["database_server", "list", network, "diagram"],
    queryFn: ({ signal }) =>
      read(gantry.databaseServers.list({ network: [network], per_page: PAGE }, { signal }), PAGE),
  });
