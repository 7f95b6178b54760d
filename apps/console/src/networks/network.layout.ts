import type { DatabaseServer, Server, Subnet } from "@gantry/client";

type PlacedServer = Pick<Server, "id" | "role" | "environment" | "subnet" | "location">;
type PlacedSubnet = Pick<Subnet, "id" | "private" | "location">;
type PlacedDatabase = Pick<DatabaseServer, "id" | "location">;

/** Some servers of one role and environment; one alone, or so many that they share an entry. */
export interface Entry<S> {
  key: string;
  servers: S[];
}

/** A subnet with its servers; without a subnet, the servers whose subnet is gone. */
export interface Row<S, N> {
  subnet: N | undefined;
  entries: Entry<S>[];
  /** How many entries are not shown. */
  hidden: number;
}

export interface Zone<S, N, D> {
  name: string;
  isPublic: Row<S, N>[];
  isPrivate: Row<S, N>[];
  databases: D[];
}

interface Parts<S, N, D> {
  subnets: readonly N[];
  servers: readonly S[];
  databases: readonly D[];
}

const ALONE = 12;

/**
 * Lays a network out: its zones by name, in each the public and the private subnets, and their servers.
 *
 * @param most how many entries a network shows
 */
export function layout<S extends PlacedServer, N extends PlacedSubnet, D extends PlacedDatabase>(
  { subnets, servers, databases }: Parts<S, N, D>,
  most = 200,
): Zone<S, N, D>[] {
  const known = new Set(subnets.map(({ id }) => id));
  const bySubnet = Map.groupBy(servers, ({ subnet, location }) => {
    const id = subnet?.split("/").at(-1) ?? "";
    return known.has(id) ? id : location;
  });
  const all = new Map([...bySubnet].map(([key, same]) => [key, entriesOf(same)]));
  const share = shareOf(
    [...all.values()].map(({ length }) => length),
    most,
  );
  const rowOf = (subnet: N | undefined, key: string): Row<S, N> => {
    const entries = all.get(key) ?? [];
    return { subnet, entries: entries.slice(0, share), hidden: Math.max(0, entries.length - share) };
  };
  const names = new Set([...subnets, ...servers, ...databases].map(({ location }) => location));
  return [...names].sort().map((name) => {
    const own = subnets.filter(({ location }) => location === name);
    const rows = (isPrivate: boolean) =>
      own.filter((subnet) => subnet.private === isPrivate).map((subnet) => rowOf(subnet, subnet.id));
    return {
      name,
      isPublic: [...rows(false), ...(bySubnet.has(name) ? [rowOf(undefined, name)] : [])],
      isPrivate: rows(true),
      databases: databases.filter(({ location }) => location === name),
    };
  });
}

/** How many entries a subnet may show at most, so that together they show no more than `most`. */
function shareOf(counts: readonly number[], most: number): number {
  let room = most;
  const sorted = [...counts].sort((one, other) => one - other);
  for (const [index, count] of sorted.entries()) {
    const share = Math.floor(room / (sorted.length - index));
    if (count > share) return share;
    room -= count;
  }
  return most;
}

/** How many servers have each state, such as `12 running, 1 stopped`. */
export function statesText(servers: readonly { state: string }[]): string {
  const counts = Map.groupBy(servers, ({ state }) => state);
  return [...counts].map(([state, same]) => `${same.length} ${state}`).join(", ");
}

/** Servers by role and environment: each an entry, or more than a dozen of a kind as one. */
function entriesOf<S extends PlacedServer>(servers: readonly S[]): Entry<S>[] {
  const kinds = Map.groupBy(servers, ({ role, environment }) => `${role} ${environment}`);
  return [...kinds].flatMap(([key, same]) =>
    same.length > ALONE
      ? [{ key, servers: same }]
      : same.map((server) => ({ key: String(server.id), servers: [server] })),
  );
}
