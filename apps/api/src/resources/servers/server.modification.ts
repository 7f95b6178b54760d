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
import { standingServer } from "./server.plan.js";
import { architectureOf } from "./server.references.js";
import { findProvisionedServer, refusedSetting } from "./server.rules.js";

/** The Requests that start, stop or copy the server. */
const EXCLUSIVE_TYPES = ["provision_server", "modify_server", "instance_update", "snapshot_server"] as const;

const MAX_NAMED_FLAVORS = 5;

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
      `server ${id} belongs to auto scaling group ${autoScalingGroupId}, whose servers have its flavor; remove the group, modify the server and create the group again`,
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
  const [offered, architecture, sizes] = [
    await listComputeFlavors(db, { providerId, locationId: location }),
    await architectureOf(db, server.flavor),
    await db.instanceType.findMany({ where: { name: { in: [flavor, server.flavor] } } }),
  ];
  const refusal = (wanted: Pick<ComputeFlavor, "name" | "architecture">) => {
    if (wanted.architecture !== architecture)
      return `${wanted.name} has the architecture ${wanted.architecture}, but the server's image needs ${architecture}`;
    return refusedSetting({ flavor: wanted.name, dedicated, cpuCredits })?.message;
  };
  const wanted = offered.find(({ name }) => name === flavor);
  const reason = wanted ? refusal(wanted) : `AWS does not offer ${flavor} in ${location}`;
  if (!reason) return;
  const size = sizes.find(({ name }) => name === flavor) ?? sizes[0];
  const possible = offered.filter((each) => each.name !== server.flavor && !refusal(each));
  const nearest = (size ? possible.sort((a, b) => distance(a, size) - distance(b, size)) : possible)
    .slice(0, MAX_NAMED_FLAVORS)
    .map(({ name }) => name);
  const instead = nearest.length > 0 ? `the server can get ${nearest.join(", ")}` : "it can get no other flavor";
  throw invalid("server.flavor", `${reason}; ${instead} (see GET /providers/${providerId}/flavors/compute)`);
}

type Size = Pick<ComputeFlavor, "vcpus" | "memoryMib">;

/** How much two sizes differ: a factor of two in processors or in memory counts 1. */
function distance(one: Size, other: Size): number {
  const factor = (a: number | null, b: number | null) => (a && b ? Math.abs(Math.log2(a / b)) : Number.MAX_VALUE / 2);
  return factor(one.vcpus, other.vcpus) + factor(one.memoryMib, other.memoryMib);
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
