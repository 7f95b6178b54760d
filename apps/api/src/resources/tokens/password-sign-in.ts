import type { Tx, User } from "@gantry/db";
import { isPassword } from "../../http/auth/passwords.js";
import { HttpError, missing } from "../../http/errors/errors.js";
import type { Throttle } from "../../http/limits/throttle.js";

/** A user whose password was checked. */
export type SignedIn = Pick<User, "id" | "passwordHash">;

/** @throws 401 if the password was changed or the user has ended since it was checked; both wait for this lock */
export async function lockSamePassword(db: Tx, { id, passwordHash }: SignedIn): Promise<void> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT id FROM users WHERE id = ${id}::uuid AND password_hash = ${passwordHash} AND deleted_at IS NULL
    FOR NO KEY UPDATE`;
  if (rows.length === 0) throw new HttpError(401, "unauthorized", ["the e-mail address or the password is wrong"]);
}

/**
 * Checks a password, before any transaction: hashing takes long.
 *
 * @throws 401 if it is wrong or the user is unknown, 429 if too many sign-ins as this user failed
 */
export async function signInByPassword(
  db: Tx,
  throttle: Throttle,
  { email, password }: { email?: string | undefined; password?: string | undefined },
): Promise<SignedIn> {
  if (!email) throw missing("email");
  if (!password) throw missing("password");
  const name = email.toLowerCase();
  throttle.require("failed sign-in", name);
  const user = await db.user.findUnique({ where: { email: name, deletedAt: null } });
  const matches = await isPassword(password, user?.passwordHash);
  if (user && matches) return { id: user.id, passwordHash: user.passwordHash };
  throttle.take("failed sign-in", name);
  throw new HttpError(401, "unauthorized", ["the e-mail address or the password is wrong"], { failedSignIn: name });
}
