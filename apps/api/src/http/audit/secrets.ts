import { columnOf, type Table, type Tx, type Vault } from "@gantry/db";
import type { Caller } from "../auth/caller.js";
import type { Audit } from "./audit.js";

interface SecretContext {
  db: Tx;
  vault: Vault;
  audit: Audit;
  caller: Caller | undefined;
}

/** True if the caller may read the secrets of an account's records, and asks for them. */
export function maySeeSecret(caller: Caller | undefined, accountId: string): boolean {
  return Boolean(caller?.asksForSecrets && caller.hasScope("secrets:read") && caller.may("write", accountId));
}

/**
 * Decrypts the secret of a row, after recording its reader; null if the row has none. A caller may read it with the
 * scope `secrets:read` and a role in the row's account that allows changes, because a secret is as powerful as a shell.
 */
export async function decryptSecret(
  { db, vault, audit, caller }: SecretContext,
  resource: string,
  { field, table }: { field: string; table: Table },
  row: unknown,
): Promise<string | null> {
  const {
    id,
    accountId,
    [field]: encrypted,
  } = row as { id: string | number; accountId: string; [field: string]: unknown };
  if (!maySeeSecret(caller, accountId)) return null;
  if (!(encrypted instanceof Uint8Array)) return null;
  const location = { table, column: columnOf(field), id: String(id), account: accountId };
  await audit.write(db, { action: "read secret", accountId, subject: `${resource}/${id}`, status: 200 });
  return vault.decrypt(encrypted, location);
}
