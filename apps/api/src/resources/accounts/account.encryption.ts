import type { Tx } from "@gantry/db";
import { invalid } from "../../http/errors/errors.js";

/** True if the account's setting `encryption` is `required`. */
export async function requiresEncryption(db: Tx, accountId: string): Promise<boolean> {
  const { requiresEncryption } = await db.account.findUniqueOrThrow({ where: { id: accountId } });
  return requiresEncryption;
}

/**
 * Whether a new disk or database is encrypted: always if the account requires it, else the input's value, else
 * `byDefault`.
 *
 * @throws 422 that names the setting, if the input refuses the encryption that the account requires
 */
export async function resolveEncryption(
  db: Tx,
  accountId: string,
  { path, requested, byDefault = true }: { path: string; requested: boolean | undefined; byDefault?: boolean },
): Promise<boolean> {
  if (!(await requiresEncryption(db, accountId))) return requested ?? byDefault;
  if (requested === false) throw invalid(path, "cannot be false, because the account requires encryption");
  return true;
}
