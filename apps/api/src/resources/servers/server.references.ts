import { type Environment, type Model, Prisma, type Row, type Snapshot, type Tx } from "@gantry/db";
import type { ProvisionableEnvironment } from "@gantry/resources";
import { conflict, invalid, notFound } from "../../http/errors/errors.js";
import { requireLive } from "../../http/rows/live-rows.js";
import { fetchRows, isValidId, table } from "../../http/rows/rows.js";
import { requireProvisioned } from "../provisioned.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";

/** @throws 404 if the account does not have the role, 409 or 422 if servers of the environment cannot have it */
export async function requireInstanceProfile(
  db: Tx,
  environment: ProvisionableEnvironment,
  id: string,
  path: string,
): Promise<void> {
  const role = await findInAccount(db, environment, "iamRole", id, "SHARE");
  if (role.providerId !== environment.providerId) {
    throw invalid(
      `${path}.iam_role_id`,
      `IAM role ${id} belongs to a different provider than environment ${environment.id}`,
    );
  }
  requireProvisioned("iam_role", role);
  if (!role.instanceProfile) throw invalid(`${path}.iam_role_id`, `IAM role ${id} has no instance profile`);
}

/** @throws 404 if the account does not have the snapshot, 409 or 422 if no volume in the region can restore it */
export async function requireSnapshot(
  db: Tx,
  location: { accountId: string; providerId: number; region: string },
  id: number,
): Promise<Pick<Snapshot, "sizeGb" | "volumeId" | "serverId"> & { provisionedId: string }> {
  const { region, providerId } = location;
  const { provisionedId, sizeGb, ...snapshot } = await findInAccount(db, location, "snapshot", id, "SHARE");
  if (snapshot.providerId !== providerId || snapshot.region !== region) {
    throw invalid("snapshot", `snapshot ${id} is not in ${region} of provider ${providerId}`);
  }
  requireLive("snapshot", snapshot);
  await assertNoUnfinishedRequest(["deprovision_snapshot_request"], db, "snapshot", id);
  await assertNoUnfinishedRequest(["destroy_environment"], db, "environment", snapshot.environmentId);
  if (!provisionedId || snapshot.progress < 100)
    throw conflict(`snapshot ${id} is not complete yet`, { about: { model: "snapshot", id } });
  return { provisionedId, sizeGb, volumeId: snapshot.volumeId, serverId: snapshot.serverId };
}

/** A snapshot that a new server restores. */
export interface RestoredSnapshot {
  provisionedId: string;
  sizeGb: number;
  /** The device of the root disk that it is of; null for a snapshot of a data disk. */
  rootDevice: string | null;
}

/** As `requireSnapshot`. @throws 422 also if the flavor cannot run a root disk of the snapshot's architecture */
export async function requireServerSnapshot(
  db: Tx,
  location: Parameters<typeof requireSnapshot>[1],
  id: number,
  { flavor, path }: { flavor: string; path: string },
): Promise<RestoredSnapshot> {
  const { provisionedId, sizeGb, volumeId, serverId } = await requireSnapshot(db, location, id);
  const { mount, device } = await db.volume.findUniqueOrThrow({ where: { id: volumeId } });
  if (mount !== "/") return { provisionedId, sizeGb, rootDevice: null };
  const source = await db.server.findUniqueOrThrow({ where: { id: serverId } });
  const [needed, own] = [await architectureOf(db, source.flavor), await architectureOf(db, flavor)];
  if (needed !== own) {
    throw invalid(
      `${path}.flavor`,
      `${flavor} has the architecture ${own}, but the root disk of snapshot ${id} needs ${needed}`,
    );
  }
  return { provisionedId, sizeGb, rootDevice: device ?? "/dev/xvda" };
}

/** The architecture of a flavor, x86_64 if Gantry has not read it. */
export async function architectureOf(db: Tx, flavor: string): Promise<string> {
  return (await db.instanceType.findUnique({ where: { name: flavor } }))?.architecture ?? "x86_64";
}

/**
 * Locks the address, so that concurrent attachments wait until the transaction ends.
 *
 * @throws 404 if the account does not have the address, 409 or 422 if no server in the region can have it now
 */
export async function requireFreeAddress(
  db: Tx,
  location: Pick<Environment, "accountId" | "providerId" | "region">,
  id: number,
  path: string,
  serverId?: number,
): Promise<void> {
  const address = await findInAccount(db, location, "address", id, "NO KEY UPDATE");
  if (address.providerId !== location.providerId || address.location !== location.region) {
    throw invalid(path, `address ${id} is not in ${location.region} of provider ${location.providerId}`);
  }
  requireProvisioned("address", address);
  const about = { model: "address", id } as const;
  if (address.serverId !== null && address.serverId !== serverId)
    throw conflict(`address ${id} is attached to server ${address.serverId}`, {
      about,
      blocking: [`servers/${address.serverId}`],
    });
  await assertNoUnfinishedRequest(["attach_address"], db, "address", id);
  const [request] = await db.$queryRaw<{ id: string; type: string }[]>`
    SELECT id, type FROM requests WHERE account_id = ${address.accountId}::uuid AND finished_at IS NULL
      AND type IN ('provision_server', 'start_environment') AND input->'addressId' = to_jsonb(${id}::int) LIMIT 1`;
  if (request)
    throw conflict(`address ${id} is reserved for request ${request.type} ${request.id}`, {
      about,
      blocking: [`requests/${request.id}`],
    });
}

/** As `requireFreeAddress`, for a new server. @throws 422 also if the server will be in a private subnet */
export async function requireAddressFor(
  db: Tx,
  environment: Environment,
  addressId: number,
  isPrivate: boolean,
  serverId?: number,
): Promise<void> {
  if (isPrivate) throw invalid("server.ip_id", "a server in a private subnet cannot have an address");
  await requireFreeAddress(db, environment, addressId, "server.ip_id", serverId);
}

async function findInAccount<M extends Model>(
  db: Tx,
  { accountId }: Pick<Environment, "accountId">,
  model: M,
  id: string | number,
  lock: "SHARE" | "NO KEY UPDATE",
): Promise<Row<M>> {
  if (!isValidId(model, id)) throw notFound({ model, id });
  const [row] = await fetchRows(
    db,
    model,
    Prisma.sql`SELECT * FROM ${table(model)} WHERE id = ${id} AND account_id = ${accountId} FOR ${Prisma.raw(lock)}`,
  );
  if (!row) throw notFound({ model, id });
  return row;
}
