import type { Server, Tx } from "@gantry/db";
import {
  type InputOf,
  pendingServerChanges,
  plannedChanges,
  serverChanges,
  startChanges,
  stopChanges,
  stoppedServerChanges,
} from "@gantry/resources";
import type { Caller } from "../../http/auth/caller.js";
import { conflict, invalid } from "../../http/errors/errors.js";
import type { Accepting, ChangeInPlace } from "../../http/plans/requested.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";
import { requireFlavorFor } from "./flavor-change.js";
import { standingServer } from "./server.plan.js";
import { findProvisionedServer } from "./server.rules.js";

/** The Requests that start, stop or copy the server. */
const EXCLUSIVE_TYPES = ["provision_server", "modify_server", "instance_update", "snapshot_server"] as const;

/**
 * A server that can get the flavor, locked until the transaction ends.
 *
 * @throws 409 if it cannot change now, 422 with flavors that it can get if it cannot get this one
 */
export async function findModifiableServer(
  caller: Caller,
  db: Tx,
  serverId: string | number,
  { flavor }: Pick<InputOf<"modify_server">, "flavor">,
): Promise<Server> {
  const server = await findProvisionedServer(caller, serverId);
  const { id, state, autoScalingGroupId } = server;
  if (state === "terminated") throw conflict(`server ${id} no longer exists in AWS`);
  if (autoScalingGroupId) {
    throw conflict(
      `server ${id} belongs to auto scaling group ${autoScalingGroupId}, which keeps its app master as it is; remove the group, modify the server and create the group again`,
      { blocking: [`auto_scaling_groups/${autoScalingGroupId}`] },
    );
  }
  await assertNoUnfinishedRequest(EXCLUSIVE_TYPES, db, "server", id);
  if (flavor !== server.flavor) {
    const { providerId, location: locationId, flavor: former, dedicated, cpuCredits } = server;
    const settings = { dedicated, cpuCredits };
    const change = { providerId, locationId, former, flavor, settings };
    await requireFlavorFor(db, { holder: "server", path: "server.flavor", ...change });
  }
  // Its own flavor takes a pending one back.
  else if (server.pendingFlavor === null) throw invalid("server.flavor", `server ${id} already has flavor ${flavor}`);
  return server;
}

/** Accepts a change of a server's flavor. @throws as `findModifiableServer` */
export async function modifyServer(
  { caller, db, createRequest }: Accepting,
  id: string | number,
  input: InputOf<"modify_server">,
) {
  const server = await findModifiableServer(caller, db, id, input);
  return createRequest("modify_server", {
    accountId: server.accountId,
    resource: { type: "server", id: server.id },
    input,
    changes: () => serverChange(db, server, input),
  });
}

/** What a start or a stop changes, also because a server then gets its pending flavor; undefined for other updates. */
export function updateChanges(
  db: Tx,
  server: Server,
  action: InputOf<"instance_update">["action"],
): (() => Promise<ChangeInPlace>) | undefined {
  if (action !== "start" && action !== "stop") return undefined;
  const [declared, state] = action === "start" ? [startChanges, "running"] : [stopChanges, "stopped"];
  // A server that is already running does not get its pending flavor by a start.
  const isStopped = action === "stop" || server.state === "stopped";
  const flavor = (isStopped && server.pendingFlavor) || server.flavor;
  const changes = plannedChanges(declared, server, { state, flavor });
  return async () => (flavor === server.flavor ? { changes } : { changes, ...(await costOf(db, server, flavor)) });
}

/** The server as a resource, with its flavor and with another one. */
async function costOf(db: Tx, server: Server, flavor: string) {
  const volumes = await db.volume.findMany({ where: { serverId: server.id, deletedAt: null }, orderBy: { id: "asc" } });
  const before = standingServer(server, volumes);
  return { before, after: { ...before, flavor } };
}

/** What the Request changes in place. */
async function serverChange(
  db: Tx,
  server: Server,
  { flavor, apply }: InputOf<"modify_server">,
): Promise<ChangeInPlace> {
  const atOnce = server.state === "stopped" ? stoppedServerChanges : serverChanges;
  const changes = plannedChanges(apply === "now" ? atOnce : pendingServerChanges, server, { flavor });
  return { changes, ...(await costOf(db, server, flavor)) };
}
