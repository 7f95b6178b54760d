import { type Environment, insertInto, nextIds, type Prisma, type Tx } from "@gantry/db";
import type { ProvisionableEnvironment, ServerRole, ServerSpec } from "@gantry/resources";
import { conflict, invalid } from "../../http/errors/errors.js";
import type { PlannedResource } from "../../http/plans/planned-resource.js";
import { requireLive } from "../../http/rows/live-rows.js";
import { requiresEncryption } from "../accounts/account.encryption.js";
import { type OfferedFlavor, requireFlavors } from "../compute-flavors/compute-flavor.rules.js";
import { assignProvider } from "../environments/environment.firewall.js";
import { requireCapacity } from "../providers/provider.limits.js";
import { requireUsable } from "../providers/provider.rules.js";
import { requireNetworkIfShared } from "../providers/shared-provider.rules.js";
import { type ChosenPlacement, placeServers } from "./server.placement.js";
import { plannedServers } from "./server.plan.js";
import { requireInstanceProfile, requireServerSnapshot } from "./server.references.js";
import { type ServerRow, serverRow, type VolumeRow, volumeRows } from "./server.rows.js";
import { requireFlavorSettings } from "./server.rules.js";

/** Checked and placed servers: their ids, the inserts of their rows and their volumes' rows, and their part of a plan. */
export interface PreparedServers {
  serverIds: number[];
  /** True if a server is in a private subnet. */
  isPrivate: boolean;
  rows: Prisma.Sql[];
  planned(imageParameter: string): PlannedResource[];
}

/**
 * Checks that an environment can have these servers, and places them. Call it in a transaction, with the environment's
 * row locked.
 *
 * @throws 409 if the environment, its provider, a limit or an existing server forbids it; 404 and 422 if a server
 * names something unknown or unfit
 */
export async function prepareServers(db: Tx, environment: Environment, specs: ServerSpec[]): Promise<PreparedServers> {
  const { provisionable, statements, servers } = await requireAllowedServers(db, environment, specs);
  const placements = servers.map(({ placement }) => placement);
  const encryption = await requiresEncryption(db, environment.accountId);
  const serverIds = await nextIds(db, "servers", specs.length);
  const [serverRows, volumes] = [[], []] as [ServerRow[], VolumeRow[]];
  for (const [i, { placement, snapshot, ...spec }] of servers.entries()) {
    const id = serverIds[i] as number;
    serverRows.push(serverRow(id, provisionable, spec, placement));
    volumes.push(...volumeRows(id, provisionable, spec, placement, { snapshot, requiresEncryption: encryption }));
  }
  return {
    serverIds,
    isPrivate: placements.some(({ isPrivate }) => isPrivate),
    rows: [
      ...statements,
      insertInto("servers", ...asNonEmpty(serverRows)),
      insertInto("volumes", ...asNonEmpty(volumes)),
    ],
    planned: (imageParameter) => plannedServers(serverRows, volumes, { imageParameter, placements }),
  };
}

/**
 * Requires that an environment can have these servers now. Call it in a transaction, with the environment's row locked.
 *
 * @param except the server itself, if it is provisioned again and its record is still there
 * @returns the environment with its provider and the statements that write that, and each server with its flavor, placement and
 * snapshot
 * @throws as `prepareServers`
 */
export async function requireAllowedServers(db: Tx, environment: Environment, specs: ServerSpec[], except?: number) {
  const { provisionable, statements } = await requireProvisionable(db, environment);
  await requireCapacity(db, "servers", provisionable, except === undefined ? specs.length : 0);
  await requireDistinct(db, provisionable, specs, except);
  const offered = await requireFlavors(db, provisionable, specs);
  const flavored = specs.map((spec, i) => ({ ...spec, ...(offered[i] as OfferedFlavor) }));
  const placements = await placeServers(db, provisionable, flavored);
  const servers = [];
  for (const [i, spec] of flavored.entries()) {
    requireFlavorSettings(spec);
    if (spec.iamRoleId) await requireInstanceProfile(db, provisionable, spec.iamRoleId, spec.path);
    const snapshot = spec.snapshotId
      ? await requireServerSnapshot(db, provisionable, spec.snapshotId, spec)
      : undefined;
    servers.push({ ...spec, placement: placements[i] as ChosenPlacement, snapshot });
  }
  return { provisionable, statements, servers };
}

async function requireProvisionable(
  db: Tx,
  environment: Environment,
): Promise<{ provisionable: ProvisionableEnvironment; statements: Prisma.Sql[] }> {
  requireLive("environment", environment);
  const { id, providerId, networkId } = environment;
  const about = { model: "environment", id } as const;
  if (providerId === null) {
    const { rows, ...assigned } = await assignProvider(db, environment);
    const provider = await db.provider.findUniqueOrThrow({ where: { id: assigned.providerId } });
    requireNetworkIfShared(provider, `environment ${id}`, about);
    return { provisionable: { ...environment, ...assigned }, statements: rows };
  }
  const provider = await db.provider.findUniqueOrThrow({ where: { id: providerId } });
  requireUsable(provider);
  if (networkId === null) requireNetworkIfShared(provider, `environment ${id}`, about);
  return { provisionable: { ...environment, providerId }, statements: [] };
}

// A solo server is both masters.
const MASTERS: [name: string, roles: ServerRole[]][] = [
  ["application master", ["app_master", "solo"]],
  ["database master", ["db_master", "solo"]],
];

async function requireDistinct(
  db: Tx,
  { id }: ProvisionableEnvironment,
  specs: ServerSpec[],
  except: number | undefined,
): Promise<void> {
  const unnamed = specs.find(({ role, name }) => role === "util" && !name);
  if (unnamed) throw invalid(`${unnamed.path}.name`, "is required for a util server");
  const existing = await db.server.findMany({
    where: { environmentId: id, deletedAt: null, ...(except !== undefined && { id: { not: except } }) },
    select: { id: true, role: true, name: true },
  });
  for (const [master, roles] of MASTERS) {
    const masters = specs.filter(({ role }) => roles.includes(role));
    if (masters.length === 0) continue;
    const other = existing.find(({ role }) => roles.includes(role as ServerRole));
    if (other)
      throw conflict(`environment ${id} already has the ${master} server ${other.id}`, {
        path: `${masters[0]?.path}.role`,
        blocking: [`servers/${other.id}`],
      });
    if (masters[1]) throw invalid(`${masters[1].path}.role`, `an environment can have only one ${master}`);
  }
  const names = new Map(existing.map((server) => [server.name, server.id]));
  for (const { name, path } of specs) {
    if (!name) continue;
    const holder = names.get(name);
    if (holder)
      throw conflict(`environment ${id} already has a server with the name ${name}: ${holder}`, {
        path: `${path}.name`,
        blocking: [`servers/${holder}`],
      });
    if (holder === 0) throw invalid(`${path}.name`, `${name} is used more than once`);
    names.set(name, 0);
  }
}

function asNonEmpty<T>(rows: T[]): [T, ...T[]] {
  return rows as [T, ...T[]];
}
