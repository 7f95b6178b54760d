import type { Server, Tx } from "@gantry/db";
import { APPLICATION_ROLES, type InputOf, type ServerRole, type ServerSpec } from "@gantry/resources";
import type { Caller } from "../../http/auth/caller.js";
import { conflict, invalid } from "../../http/errors/errors.js";
import { requireProvisioned } from "../provisioned.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";

/**
 * The server, locked until the transaction ends.
 *
 * @throws 409 if it is not provisioned or was deleted
 */
export async function findProvisionedServer(caller: Caller, serverId: string | number): Promise<Server> {
  const row = await caller.find("server", serverId, "update");
  requireProvisioned("server", row);
  return row;
}

/**
 * A server with which the action can be done now, locked until the transaction ends.
 *
 * @throws 409 if it is not provisioned, or its state or its group forbids the action
 */
export async function findUpdatableServer(
  caller: Caller,
  serverId: string | number,
  action: InputOf<"instance_update">["action"],
): Promise<Server> {
  const row = await findProvisionedServer(caller, serverId);
  const { id, state, autoScalingGroupId } = row;
  if (autoScalingGroupId && (action === "stop" || action === "reboot")) {
    throw conflict(
      `server ${id} belongs to auto scaling group ${autoScalingGroupId} and must keep running; remove the group first`,
      { blocking: [`auto_scaling_groups/${autoScalingGroupId}`] },
    );
  }
  if (state === "terminated") throw conflict(`server ${id} no longer exists in AWS`);
  if (action === "reboot" && state !== "running") throw conflict(`server ${id} is ${state}, not running`);
  return row;
}

/**
 * Call it with the rows of the server and its environment locked.
 *
 * @param options `force`: its environment may be left without an application server
 * @throws 409 if the server belongs to a group, or its environment boots, scales or needs it
 */
export async function requireRemovableServer(
  db: Tx,
  server: Server,
  { force }: InputOf<"deprovision_server">,
): Promise<void> {
  const { id, environmentId, autoScalingGroupId } = server;
  await assertNoUnfinishedRequest(["start_environment", "scale_environment"], db, "environment", environmentId);
  if (autoScalingGroupId) {
    throw conflict(`server ${id} belongs to auto scaling group ${autoScalingGroupId}; change its size instead`, {
      blocking: [`auto_scaling_groups/${autoScalingGroupId}`],
    });
  }
  if (!force) await requireOtherApplicationServer(db, server);
}

async function requireOtherApplicationServer(db: Tx, { id, role, environmentId }: Server): Promise<void> {
  if (!APPLICATION_ROLES.includes(role as ServerRole)) return;
  const [other] = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM servers WHERE environment_id = ${environmentId} AND deleted_at IS NULL AND id <> ${id}
      AND role = ANY(${APPLICATION_ROLES}) AND NOT EXISTS (
        SELECT 1 FROM requests WHERE resource_type = 'server' AND resource_id = servers.id::text
          AND finished_at IS NULL AND type = 'deprovision_server') LIMIT 1`;
  if (!other) {
    throw conflict(
      `server ${id} is the last application server of environment ${environmentId}; to remove it anyway, add ?force=true`,
    );
  }
}

/**
 * A server to which a volume or an address can be attached, locked until the transaction ends.
 *
 * @throws 409 if it is not provisioned, or is neither running nor stopped
 */
export async function findAttachableServer(caller: Caller, db: Tx, serverId: number): Promise<Server> {
  const row = await findProvisionedServer(caller, serverId);
  await assertNoUnfinishedRequest(["provision_server"], db, "server", row.id);
  if (row.state === "running" || row.state === "stopped") return row;
  throw conflict(`server ${row.id} is ${row.state}, neither running nor stopped`, {
    about: { model: "server", id: row.id },
  });
}

const BURSTABLE = /^t\d/;
/**
 * AWS's answer to a dedicated t2: "The requested configuration is currently not supported" (rancher/os#1964). Dedicated T3
 * exists, not in all regions; of T3a and T4g no statement of AWS was found, so that AWS decides.
 */
const NEVER_DEDICATED = /^t[12]\./;

/** @throws 422 if AWS launches no instance of the flavor with these settings */
export function requireFlavorSettings({ path, ...spec }: ServerSpec & { flavor: string }): void {
  const refused = refusedSetting(spec);
  if (refused) throw invalid(`${path}.${refused.field}`, refused.message);
}

/** The setting with which AWS launches no instance of the flavor, and the reason; undefined if there is none. */
export function refusedSetting({
  flavor,
  dedicated,
  cpuCredits,
}: {
  flavor: string;
  dedicated?: boolean | undefined;
  cpuCredits?: string | null | undefined;
}): { field: "dedicated" | "cpu_credits"; message: string } | undefined {
  if (dedicated && NEVER_DEDICATED.test(flavor)) {
    const message = `AWS does not offer dedicated hardware for ${flavor}; t3 flavors support it in most regions`;
    return { field: "dedicated", message };
  }
  if (cpuCredits && !BURSTABLE.test(flavor)) {
    const message = `${flavor} does not use CPU credits; the burstable flavors are t2, t3, t3a and t4g`;
    return { field: "cpu_credits", message };
  }
  return undefined;
}

/** @throws 422 if the server is in a private subnet, in which an address is not reachable */
export async function requirePublicSubnet(db: Tx, { id, subnetId }: Server): Promise<void> {
  const subnet = subnetId ? await db.subnet.findUnique({ where: { id: subnetId } }) : null;
  if (subnet?.private) throw invalid("server", `server ${id} is in private subnet ${subnetId}`);
}

/** The unfinished Requests of a type that attach something to the server. */
export function findPendingAttachments(
  db: Tx,
  type: "attach_address" | "attach_volume",
  { id, accountId }: Server,
): Promise<{ id: string; input: { device?: string } }[]> {
  return db.$queryRaw`SELECT id, input FROM requests WHERE account_id = ${accountId}::uuid AND finished_at IS NULL
    AND type = ${type} AND input->'serverId' = to_jsonb(${id}::int)`;
}
