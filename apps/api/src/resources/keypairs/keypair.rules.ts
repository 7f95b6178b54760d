import { type Environment, type Keypair, Prisma, type Tx } from "@gantry/db";
import type { Caller } from "../../http/auth/caller.js";
import { notFound } from "../../http/errors/errors.js";
import { fetchRows, isValidId, type Selection } from "../../http/rows/rows.js";
import { visibleUsers } from "../users/user.visibility.js";

/** The keypairs of the users that a caller sees and of its accounts' applications. */
export function visibleKeypairs(caller: Caller): Selection<"keypair"> {
  const users = Prisma.sql`SELECT id FROM users WHERE ${visibleUsers(caller).where}`;
  const applications = Prisma.sql`SELECT id FROM applications WHERE ${caller.visible}`;
  return {
    model: "keypair",
    where: Prisma.sql`(user_id IN (${users}) OR application_id IN (${applications}))`,
  };
}

/** The keypairs that an environment's servers accept: its application's, and those of users who may change it. */
export function keypairsOf({ accountId, applicationId }: Environment): Selection<"keypair"> {
  const members = Prisma.sql`SELECT user_id FROM memberships WHERE account_id = ${accountId} AND role <> 'viewer'`;
  const application = applicationId === null ? Prisma.empty : Prisma.sql`OR application_id = ${applicationId}`;
  return { model: "keypair", where: Prisma.sql`(user_id IN (${members}) ${application})` };
}

/** @throws 404 if the caller cannot see the keypair */
export async function findVisibleKeypair(db: Tx, caller: Caller, id: string): Promise<Keypair> {
  if (!isValidId("keypair", id)) throw notFound();
  const { where } = visibleKeypairs(caller);
  const [keypair] = await fetchRows(
    db,
    "keypair",
    Prisma.sql`SELECT * FROM keypairs WHERE id = ${Number(id)} AND ${where}`,
  );
  if (!keypair) throw notFound();
  return keypair;
}
