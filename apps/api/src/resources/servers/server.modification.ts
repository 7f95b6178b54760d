import type { Server, Tx } from "@gantry/db";
import {
  type ComputeFlavor,
  type InputOf,
  pendingServerChanges,
  plannedChanges,
  serverChanges,
  stoppedServerChanges,
} from "@gantry/resources";
import type { Caller } from "../../http/auth/caller.js";
import { conflict, invalid } from "../../http/errors/errors.js";
import type { Accepting, ChangeInPlace } from "../../http/plans/requested.js";
import { listComputeFlavors } from "../compute-flavors/compute-flavor.offers.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";
import { nearestFlavors } from "./flavor-distance.js";
import { standingServer } from "./server.plan.js";
import { architectureOf } from "./server.references.js";
import { findProvisionedServer, refusedSetting } from "./server.rules.js";

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
  if (flavor !== server.flavor) await requireFlavorFor(db, server, flavor);
  // Its own flavor takes a pending one back.
  else if (server.pendingFlavor === null) throw invalid("server.flavor", `server ${id} already has flavor ${flavor}`);
  return server;
}

/** @throws 422 with the nearest flavors in size if the server cannot have the flavor */
async function requireFlavorFor(db: Tx, server: Server, flavor: string): Promise<void> {
  const { providerId, location, dedicated, cpuCredits } = server;
  const offered = await listComputeFlavors(db, { providerId, locationId: location });
  const architecture = await architectureOf(db, server.flavor);
  const refusal = (wanted: Pick<ComputeFlavor, "name" | "architecture">) => {
    if (wanted.architecture !== architecture)
      return `${wanted.name} has the architecture ${wanted.architecture}, but the server's image needs ${architecture}`;
    return refusedSetting({ flavor: wanted.name, dedicated, cpuCredits })?.message;
  };
  const wanted = offered.find(({ name }) => name === flavor);
  const reason = wanted ? refusal(wanted) : `AWS does not offer ${flavor} in ${location}`;
  if (!reason) return;
  const possible = offered.filter((each) => each.name !== server.flavor && !refusal(each));
  const nearest = await nearestFlavors(db, possible, { flavor, former: server.flavor });
  const instead = nearest.length > 0 ? `the server can get ${nearest.join(", ")}` : "it can get no other flavor";
  throw invalid("server.flavor", `${reason}; ${instead} (see GET /providers/${providerId}/flavors/compute)`);
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

/** What the Request changes in place. */
async function serverChange(
  db: Tx,
  server: Server,
  { flavor, apply }: InputOf<"modify_server">,
): Promise<ChangeInPlace> {
  const volumes = await db.volume.findMany({ where: { serverId: server.id, deletedAt: null }, orderBy: { id: "asc" } });
  const before = standingServer(server, volumes);
  const atOnce = server.state === "stopped" ? stoppedServerChanges : serverChanges;
  const changes = plannedChanges(apply === "now" ? atOnce : pendingServerChanges, server, { flavor });
  return { changes, before, after: { ...before, flavor } };
}
