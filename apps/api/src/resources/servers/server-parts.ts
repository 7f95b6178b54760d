import { type Environment, type Model, Prisma, type Row, type Tx } from "@gantry/db";
import { conflict, invalid, notFound } from "../../http/errors.js";
import { fetchRows, isValidId, table } from "../../http/rows.js";
import { assertNoOpenRequest } from "../requests/open-requests.js";
import type { Ready } from "./new-servers.js";

/** @throws 404 where the account has no such role, 409 or 422 where servers cannot be given it */
export async function requireInstanceProfile(db: Tx, environment: Ready, id: string, path: string): Promise<void> {
  const role = await findIn(db, environment, "iamRole", id, "SHARE");
  if (role.providerId !== environment.providerId) {
    throw invalid(
      `${path}.iam_role_id`,
      `the IAM role ${id} is of another provider than environment ${environment.id}`,
    );
  }
  if (role.deletedAt) throw conflict(`the IAM role ${id} was deleted`);
  await assertNoOpenRequest(["deprovision_iam_role"], db, "iam_role", id);
  if (!role.provisionedId) throw conflict(`the IAM role ${id} is not provisioned yet`);
  if (!role.instanceProfile) throw invalid(`${path}.iam_role_id`, `the IAM role ${id} has no instance profile`);
}

/** @throws 404 where the account has no such snapshot, 409 or 422 where no volume can be made from it here */
export async function requireSnapshot(
  db: Tx,
  place: { accountId: string; providerId: number; region: string },
  id: number,
): Promise<{ provisionedId: string; sizeGb: number }> {
  const { region, providerId } = place;
  const { provisionedId, sizeGb, ...snapshot } = await findIn(db, place, "snapshot", id, "SHARE");
  if (snapshot.providerId !== providerId || snapshot.region !== region) {
    throw invalid("snapshot", `the snapshot ${id} is not in ${region} of provider ${providerId}`);
  }
  if (snapshot.deletedAt) throw conflict(`the snapshot ${id} was deleted`);
  await assertNoOpenRequest(["deprovision_snapshot_request"], db, "snapshot", id);
  if (!provisionedId || snapshot.progress < 100) throw conflict(`the snapshot ${id} is not complete yet`);
  return { provisionedId, sizeGb };
}

/**
 * Called before a server is given the address; holds off whoever else would take it.
 *
 * @throws 404 where the account has no such address, 409 or 422 where it is not free for a server here
 */
export async function requireFreeAddress(
  db: Tx,
  place: Pick<Environment, "accountId" | "providerId" | "region">,
  id: number,
  path: string,
): Promise<void> {
  const address = await findIn(db, place, "address", id, "NO KEY UPDATE");
  if (address.providerId !== place.providerId || address.location !== place.region) {
    throw invalid(path, `the address ${id} is not in ${place.region} of provider ${place.providerId}`);
  }
  if (address.deletedAt) throw conflict(`the address ${id} was deleted`);
  if (!address.provisionedId) throw conflict(`the address ${id} is not provisioned yet`);
  if (address.serverId !== null) throw conflict(`the address ${id} is attached to server ${address.serverId}`);
  await assertNoOpenRequest(["attach_address", "deprovision_address_request"], db, "address", id);
  const [taker] = await db.$queryRaw<{ id: string; type: string }[]>`
    SELECT id, type FROM requests WHERE account_id = ${address.accountId}::uuid AND finished_at IS NULL
      AND type IN ('provision_server', 'start_environment') AND input->'addressId' = to_jsonb(${id}::int) LIMIT 1`;
  if (taker) throw conflict(`the address ${id} is promised to the request ${taker.type} ${taker.id}`);
}

async function findIn<M extends Model>(
  db: Tx,
  { accountId }: Pick<Environment, "accountId">,
  model: M,
  id: string | number,
  lock: "SHARE" | "NO KEY UPDATE",
): Promise<Row<M>> {
  if (!isValidId(model, id)) throw notFound();
  const [row] = await fetchRows(
    db,
    model,
    Prisma.sql`SELECT * FROM ${table(model)} WHERE id = ${id} AND account_id = ${accountId} FOR ${Prisma.raw(lock)}`,
  );
  if (!row) throw notFound();
  return row;
}
