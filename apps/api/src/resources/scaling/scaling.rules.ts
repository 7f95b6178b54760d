import type { Environment, Server, Tx } from "@gantry/db";
import { APPLICATION_ROLES, field, type ServerRole } from "@gantry/resources";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { hasUnfinishedRequests } from "../../http/conflicts/request-conflicts.js";
import { conflict, invalid } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { integerId, uuidOf } from "../../http/input/references.js";
import { unfinishedRequestsOn } from "../unfinished-requests.js";

const MAX_SERVERS = 100;

const count = field(z.int().min(0).max(MAX_SERVERS), 3).optional();

/** The input of a scaling: how many servers of a role there are afterwards. An environment has one master of a kind. */
export const scaling = strict({
  roles: strict({ app: count, db_slave: count, util: count }).describe(
    "The wanted number of servers of each role; roles without a number stay as they are, and members of a scaling group do not count",
  ),
  remove: z
    .array(integerId("servers"))
    .max(MAX_SERVERS)
    .default([])
    .describe(
      "Servers of these roles that go; new ones replace them if the number wants that. By default, the newest go",
    ),
  subnet_id: uuidOf("subnets")
    .optional()
    .describe("The subnet of the new servers, in the environment's network; by default Gantry chooses, as for a boot"),
});

/** The servers that a role gets, as copies of one. */
export interface Growth {
  role: ServerRole;
  added: number;
  template: Server;
  /** The servers of the role that stay. */
  kept: Server[];
}

/**
 * The servers to add and to remove. Call it with the environment's row locked; it locks those of the servers that go.
 *
 * @throws 404 or 422 if a role or a server to remove does not fit, or nothing would change; 409 if the environment needs a
 * server that would go, an unfinished Request is on it, or no server of a role that grows is running
 */
export async function findScaling(
  { caller, db }: { caller: Caller; db: Tx },
  { id }: Environment,
  { roles, remove, subnet_id }: z.infer<typeof scaling>,
): Promise<{ growths: Growth[]; removed: Server[] }> {
  const named = [];
  for (const serverId of new Set(remove)) named.push(await caller.findLive("server", serverId));
  const all = await standingServers(db, id);
  const counted = all.filter(({ autoScalingGroupId }) => autoScalingGroupId === null);
  for (const server of named) requireOfRole({ id }, server, { counted, roles });
  const isNamed = new Set(remove);
  const growths: Growth[] = [];
  const going: Server[] = [];
  for (const [role, wanted] of Object.entries(roles) as [ServerRole, number | undefined][]) {
    if (wanted === undefined) continue;
    const own = counted.filter((server) => server.role === role);
    if (own.length === 0) throw unknownRole(id, role, counted);
    const staying = own.filter((server) => !isNamed.has(server.id));
    const kept = staying.slice(0, wanted);
    going.push(...own.filter((server) => !kept.includes(server)));
    const added = wanted - kept.length;
    if (added > 0) growths.push({ role, added, kept, template: newestRunning(kept, own, { id, role }) });
  }
  if (growths.length === 0 && going.length === 0)
    throw invalid("environment.roles", `environment ${id} already has these numbers of servers`);
  if (subnet_id !== undefined && growths.length === 0)
    throw invalid("environment.subnet_id", "no server is added; name those that move in remove");
  requireApplicationServer(id, { all, going, growths });
  const removed = [];
  for (const server of going.toSorted((one, other) => one.id - other.id)) {
    removed.push(await caller.find("server", server.id, "update"));
    const unfinished = await unfinishedRequestsOn(db, "server", server.id);
    if (unfinished.length > 0) throw hasUnfinishedRequests({ type: "server", id: server.id }, unfinished);
  }
  return { growths, removed };
}

/** The servers that no unfinished Request removes, the oldest first. */
function standingServers(db: Tx, environmentId: number): Promise<Server[]> {
  return db.server
    .findMany({ where: { environmentId, deletedAt: null }, orderBy: { id: "asc" } })
    .then(async (servers) => {
      const resourceId = { in: servers.map(({ id }) => String(id)) };
      const removals = await db.request.findMany({
        where: { resourceType: "server", resourceId, finishedAt: null, type: "deprovision_server" },
        select: { resourceId: true },
      });
      const leaving = new Set(removals.map((removal) => removal.resourceId));
      return servers.filter(({ id }) => !leaving.has(String(id)));
    });
}

function requireOfRole(
  environment: { id: number },
  server: Server,
  { counted, roles }: { counted: Server[]; roles: z.infer<typeof scaling>["roles"] },
): void {
  const { id, role, environmentId } = server;
  const path = "environment.remove";
  if (environmentId !== environment.id) throw invalid(path, `server ${id} is not in environment ${environment.id}`);
  if (!counted.some((each) => each.id === id))
    throw invalid(path, `server ${id} belongs to a scaling group or is being removed`);
  if (roles[role as keyof typeof roles] === undefined)
    throw invalid(path, `server ${id} has the role ${role}, for which environment.roles has no number`);
}

function unknownRole(id: number, role: string, counted: Server[]) {
  const scalable = new Set(
    counted.map((server) => server.role).filter((each) => Object.hasOwn(scaling.shape.roles.shape, each)),
  );
  const has =
    scalable.size > 0 ? `those that it has are ${[...scalable].join(", ")}` : "it has none that can be scaled";
  return invalid(`environment.roles.${role}`, `environment ${id} has no server of this role to copy; ${has}`);
}

/** @throws 409 if none of the servers is running */
function newestRunning(kept: Server[], own: Server[], { id, role }: { id: number; role: string }): Server {
  const isRunning = ({ state, provisionedId }: Server) => state === "running" && provisionedId !== null;
  const newest = kept.findLast(isRunning) ?? own.findLast(isRunning);
  if (!newest)
    throw conflict(`environment ${id} has no running server of role ${role}, of which new ones are copies`, {
      path: `environment.roles.${role}`,
      blocking: own.map((server) => `servers/${server.id}`),
    });
  return newest;
}

/** @throws 409 if the last application server would go */
function requireApplicationServer(
  id: number,
  { all, going, growths }: { all: Server[]; going: Server[]; growths: Growth[] },
): void {
  const runsApplication = ({ role }: { role: string }) => APPLICATION_ROLES.includes(role as ServerRole);
  const last = going.find(runsApplication);
  if (!last || growths.some(runsApplication)) return;
  if (all.some((server) => runsApplication(server) && !going.includes(server))) return;
  throw conflict(`server ${last.id} is the last application server of environment ${id}`, {
    path: `environment.roles.${last.role}`,
  });
}
