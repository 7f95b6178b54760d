import { randomBytes } from "node:crypto";
import { type Db, loadInstallationKeys, Scope } from "@gantry/db";
import type { Env } from "@gantry/runtime";
import { v7 as uuidv7 } from "uuid";
import { hashPassword } from "./http/auth/passwords.js";
import { mintToken, tokenDigest } from "./http/auth/tokens.js";

/** The credentials of the first user, shown once. */
export interface FirstKeys {
  accountId: string;
  email: string;
  password: string;
  token: string;
}

const EMAIL = "admin@gantry.local";

/** Creates the first account, its owner and a token with all scopes. Returns undefined if a user exists already. */
export async function bootstrap(db: Db, env: Pick<Env, "MASTER_KEY">): Promise<FirstKeys | undefined> {
  const password = randomBytes(18).toString("base64url");
  const token = mintToken();
  const [accountId, userId] = [uuidv7(), uuidv7()];
  const keys = await loadInstallationKeys(db, env.MASTER_KEY);
  const passwordHash = await hashPassword(password);
  return db.$transaction(async (tx) => {
    // The lock lets only one of several starting processes create the first user.
    await tx.$executeRaw`LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE`;
    if ((await tx.user.count({ take: 1 })) > 0) return undefined;
    await tx.account.create({ data: { id: accountId, name: "Main" } });
    await tx.user.create({ data: { id: userId, name: "Administrator", email: EMAIL, passwordHash } });
    await tx.membership.create({ data: { id: uuidv7(), accountId, userId, role: "owner" } });
    const digest = tokenDigest(keys.tokens)(token);
    await tx.token.create({ data: { id: uuidv7(), userId, name: "first", digest, scopes: Object.values(Scope) } });
    return { accountId, email: EMAIL, password, token };
  });
}
