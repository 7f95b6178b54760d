import { type Environment, insertInto, nextIds, type Prisma, type Tx } from "@gantry/db";
import type { ServerRole } from "@gantry/requests";
import { conflict, invalid } from "../../http/errors.js";
import { settleProvider } from "../environments/environment-firewall.js";
import { requireRoomFor } from "../providers/location-limit.js";
import { requireUsable } from "../providers/provider.rules.js";
import { assertNoOpenRequest } from "../requests/open-requests.js";
import { type Place, placements } from "./placement.js";
import { requireInstanceProfile, requireSnapshot } from "./server-parts.js";
import { serverRow, volumeRows } from "./server-rows.js";

/** A server as it is asked for. Its flavor is known, and its IOPS may be more than AWS takes. */
export interface WantedServer {
  /** Where the caller wrote it, for what is said of it: "server", "cluster_configuration.configuration.utils.0". */
  path: string;
  role: ServerRole;
  flavor: string;
  name?: string | undefined;
  dedicated?: boolean | undefined;
  subnetId?: string | undefined;
  iamRoleId?: string | undefined;
  /** Its data volume is made from this snapshot. */
  snapshotId?: number | undefined;
  volumeSizeGb?: number | undefined;
  /** None where absent. */
  mntVolumeSizeGb?: number | undefined;
  iops?: number | undefined;
  volumeType?: string | undefined;
}

/** Servers that may be made now: their ids, and the statements that write their rows and those of their volumes. */
export interface NewServers {
  serverIds: number[];
  rows: Prisma.Sql[];
}

/** An environment that servers can be made in. */
export type Ready = Environment & { providerId: number };

/**
 * Checks that servers may be made in an environment, and chooses where. Called in a transaction, with the environment's
 * row locked.
 *
 * @throws 409 where the environment, its provider, a limit or what is there already stands in the way; 404 and 422 where
 * a server asks for what cannot be had
 */
export async function newServers(db: Tx, environment: Environment, wanted: WantedServer[]): Promise<NewServers> {
  const { ready, settling } = await requireReady(db, environment);
  await requireRoomFor(db, "servers", ready, wanted.length);
  await requireDistinct(db, ready, wanted);
  const places = await placements(db, ready, wanted);
  const made = [];
  for (const [i, server] of wanted.entries()) {
    if (server.iamRoleId) await requireInstanceProfile(db, ready, server.iamRoleId, server.path);
    const snapshot = server.snapshotId ? await requireSnapshot(db, ready, server.snapshotId) : undefined;
    made.push({ server, snapshot, place: places[i] as Place });
  }
  const serverIds = await nextIds(db, "servers", wanted.length);
  const servers = made.map(({ server, place }, i) => serverRow(serverIds[i] as number, ready, server, place));
  const volumes = made.flatMap(({ server, place, snapshot }, i) =>
    volumeRows(serverIds[i] as number, ready, server, place, snapshot),
  );
  return {
    serverIds,
    rows: [...settling, insertInto("servers", ...asNonEmpty(servers)), insertInto("volumes", ...asNonEmpty(volumes))],
  };
}

async function requireReady(db: Tx, environment: Environment): Promise<{ ready: Ready; settling: Prisma.Sql[] }> {
  const { id, providerId, deletedAt } = environment;
  if (deletedAt) throw conflict(`the environment ${id} was deleted`);
  await assertNoOpenRequest(["deprovision_environment", "destroy_environment"], db, "environment", id);
  if (providerId === null) {
    const { rows, ...settled } = await settleProvider(db, environment);
    return { ready: { ...environment, ...settled }, settling: rows };
  }
  requireUsable(await db.provider.findUniqueOrThrow({ where: { id: providerId } }));
  return { ready: { ...environment, providerId }, settling: [] };
}

// A solo server is master of both.
const MASTERS: [name: string, roles: ServerRole[]][] = [
  ["application master", ["app_master", "solo"]],
  ["database master", ["db_master", "solo"]],
];

async function requireDistinct(db: Tx, { id }: Ready, wanted: WantedServer[]): Promise<void> {
  const nameless = wanted.find(({ role, name }) => role === "util" && !name);
  if (nameless) throw invalid(`${nameless.path}.name`, "is needed for a util server");
  const living = await db.server.findMany({
    where: { environmentId: id, deletedAt: null },
    select: { id: true, role: true, name: true },
  });
  for (const [master, roles] of MASTERS) {
    const asked = wanted.filter(({ role }) => roles.includes(role));
    if (asked.length === 0) continue;
    const there = living.find(({ role }) => roles.includes(role as ServerRole));
    if (there) throw conflict(`the environment ${id} has its ${master} already: server ${there.id}`);
    if (asked[1]) throw invalid(`${asked[1].path}.role`, `an environment has one ${master}`);
  }
  const names = new Map(living.map((server) => [server.name, server.id]));
  for (const { name, path } of wanted) {
    if (!name) continue;
    const holder = names.get(name);
    if (holder) throw conflict(`the environment ${id} has a server of the name ${name} already: ${holder}`);
    if (holder === 0) throw invalid(`${path}.name`, `${name} is given twice`);
    names.set(name, 0);
  }
}

function asNonEmpty<T>(rows: T[]): [T, ...T[]] {
  return rows as [T, ...T[]];
}
