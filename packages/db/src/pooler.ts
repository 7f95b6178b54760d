/**
 * Returns whether the address leads to a pooler that lends a session for one transaction, such as PgBouncer in
 * transaction mode. Such an address has the parameter `pgbouncer=true`.
 */
export function isPooled(url: string): boolean {
  return URL.canParse(url) && new URL(url).searchParams.get("pgbouncer") === "true";
}
