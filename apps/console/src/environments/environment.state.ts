import type { Server } from "@gantry/client";

/** How an environment is doing, in words: `not booted`, `running` or `3 of 4 run`. */
export function environmentState(servers: readonly Pick<Server, "state" | "disappeared_at">[]): string {
  const running = servers.filter(({ state, disappeared_at }) => state === "running" && !disappeared_at).length;
  if (servers.length === 0) return "not booted";
  return running === servers.length ? "running" : `${running} of ${servers.length} run`;
}

/** How many servers each role has, as `app 2, util 1`. */
export function rolesText(servers: readonly Pick<Server, "role">[]): string {
  const counts = new Map<string, number>();
  for (const { role } of servers) counts.set(role, (counts.get(role) ?? 0) + 1);
  return [...counts]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([role, count]) => `${role.replaceAll("_", " ")} ${count}`)
    .join(", ");
}
