import { columnOf, type Table } from "@gantry/db";
import type { Caller } from "./caller.js";
import type { AppContext } from "./context.js";

/**
 * Opens the sealed secret of a row and logs its reader; null where the row has none. A caller may read it who has the scope
 * `secrets:read` and a role in the row's account that allows changes: a secret is as good as a shell.
 */
export async function openSecret(
  { vault, log }: AppContext,
  caller: Caller | undefined,
  { field, table }: { field: string; table: Table },
  row: unknown,
): Promise<string | null> {
  const {
    id,
    accountId,
    [field]: sealed,
  } = row as { id: string | number; accountId: string; [field: string]: unknown };
  if (!caller?.hasScope("secrets:read") || !caller.may("write", accountId)) return null;
  if (!(sealed instanceof Uint8Array)) return null;
  const location = { table, column: columnOf(field), id: String(id), account: accountId };
  const secret = await vault.open(sealed, location);
  log.info({ user: caller.user.id, account: accountId, table, id }, "secret read");
  return secret;
}
