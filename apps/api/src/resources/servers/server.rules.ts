import type { Server, Tx } from "@gantry/db";
import type { Caller } from "../../http/caller.js";
import { conflict } from "../../http/errors.js";
import { assertNoOpenRequest } from "../requests/open-requests.js";

/**
 * The server, which nothing else changes until the transaction ends.
 *
 * @throws 409 where it does not exist in AWS, or is about to go
 */
export async function findMadeServer(caller: Caller, db: Tx, serverId: string | number): Promise<Server> {
  const row = await caller.find("server", serverId, "update");
  if (row.deletedAt) throw conflict(`the server ${row.id} was deleted`);
  await assertNoOpenRequest(["deprovision_server"], db, "server", row.id);
  if (!row.provisionedId) throw conflict(`the server ${row.id} is not provisioned yet`);
  return row;
}

/**
 * A server that something can be attached to.
 *
 * @throws 409 where it does not exist in AWS, is about to go, or is neither running nor stopped
 */
export async function findAttachable(caller: Caller, db: Tx, serverId: number): Promise<Server> {
  const row = await findMadeServer(caller, db, serverId);
  await assertNoOpenRequest(["provision_server"], db, "server", row.id);
  if (row.state === "running" || row.state === "stopped") return row;
  throw conflict(`the server ${row.id} is ${row.state}, neither running nor stopped`);
}

/** The inputs of the Requests of a type that have yet to attach something to the server, with their ids. */
export function attachmentsTo(
  db: Tx,
  type: "attach_address" | "attach_volume",
  { id, accountId }: Server,
): Promise<{ id: string; input: { device?: string } }[]> {
  return db.$queryRaw`SELECT id, input FROM requests WHERE account_id = ${accountId}::uuid AND finished_at IS NULL
    AND type = ${type} AND input->'serverId' = to_jsonb(${id}::int)`;
}
