import type { AutoScalingGroup, Blueprint, Server, Tx } from "@gantry/db";
import {
  applicationServerOf,
  autoScalingGroupChanges,
  type BlueprintServer,
  type InputOf,
  plannedChanges,
} from "@gantry/resources";
import type { Env } from "@gantry/runtime";
import type { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { conflict, invalid } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { uuidOf } from "../../http/input/references.js";
import type { Accepting, ChangeInPlace } from "../../http/plans/requested.js";
import { findUsableBlueprint } from "../blueprints/blueprint.rules.js";
import { flavorName } from "../flavor-name.js";
import { requireProvisioned } from "../provisioned.js";
import { requireFlavorFor } from "../servers/flavor-change.js";
import { requireReachableReports } from "../servers/server.reports.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";
import { plannedGroup } from "./auto-scaling-group.plan.js";
import { desiredCapacity, maximumSize, minimumSize, requireOrder } from "./auto-scaling-group.rules.js";

/** What a group can be given in place. */
export const groupChangesInput = strict({
  flavor: flavorName.optional(),
  blueprint_id: uuidOf("blueprints")
    .nullable()
    .optional()
    .describe(
      "The instances become like its application server, or like the app master for null, with that flavor if none is named",
    ),
  minimum_size: minimumSize.optional(),
  maximum_size: maximumSize.optional(),
  desired_capacity: desiredCapacity.optional(),
});

type Input = InputOf<"modify_auto_scaling_group">;
type Sizes = Pick<AutoScalingGroup, "minimumSize" | "maximumSize" | "desiredCapacity">;

/** A group, locked until the transaction ends, with its flavor and its app master. */
export interface ModifiableGroup {
  group: AutoScalingGroup & { flavor: string };
  appMaster: Server;
  /** True if its instances run on hardware that no other AWS account shares. */
  dedicated: boolean;
  /** The one that the Request names; undefined if it names none. */
  blueprint: Blueprint | undefined;
}

/** A change of a group, and the hardware of its instances afterwards. */
interface GroupChanges {
  input: Input;
  dedicated: boolean;
}

/** The Requests that change the group too. */
const EXCLUSIVE_TYPES = [
  "provision_auto_scaling_group",
  "update_auto_scaling_group",
  "modify_auto_scaling_group",
] as const;

const BLUEPRINT_PATH = "auto_scaling_group.blueprint_id";

/** AWS's default: RefreshPreferences in the service model of autoscaling, botocore 1.44.5. */
const MIN_HEALTHY_PERCENTAGE = 90;

/**
 * A group that can change, for a Request that names this blueprint.
 *
 * @throws 404 or 422 for a blueprint that cannot be used, or 409 if the group cannot change now
 */
export async function findModifiableGroup(
  caller: Caller,
  db: Tx,
  id: string,
  wantedId?: string | null,
): Promise<ModifiableGroup> {
  const group = await caller.find("autoScalingGroup", id, "update");
  const { accountId, blueprintId } = group;
  const named = { accountId, path: BLUEPRINT_PATH };
  const blueprint = wantedId ? await findUsableBlueprint(caller, wantedId, named) : undefined;
  requireProvisioned("auto_scaling_group", group);
  await assertNoUnfinishedRequest(EXCLUSIVE_TYPES, db, "auto_scaling_group", group.id);
  const appMaster = await db.server.findFirst({ where: { autoScalingGroupId: group.id, deletedAt: null } });
  if (!appMaster) throw conflict(`auto scaling group ${group.id} has no app master`);
  const own = blueprintId && (await db.blueprint.findFirst({ where: { id: blueprintId, accountId } }));
  const { dedicated = false } = (own ? applicationServerOf(own) : appMaster) ?? {};
  return { group: { ...group, flavor: group.flavor ?? appMaster.flavor }, appMaster, dedicated, blueprint };
}

/** Those of the wanted values that differ from the group's. @throws 422 if none does, or the group cannot have one of them */
export async function changesOfGroup(
  db: Tx,
  modifiable: ModifiableGroup,
  { minHealthyPercentage, ...wanted }: Input,
): Promise<GroupChanges> {
  const { group } = modifiable;
  const like = serverToBeLike(modifiable, wanted.blueprintId);
  const flavor = wanted.flavor ?? like?.flavor;
  const { dedicated = false } = like ?? modifiable;
  const named = Object.entries({ ...wanted, ...(flavor !== undefined && { flavor }) }) as [
    keyof typeof wanted,
    string | number | null,
  ][];
  const changes: Input = Object.fromEntries(named.filter(([column, value]) => value !== group[column]));
  if (Object.keys(changes).length === 0)
    throw invalid("auto_scaling_group", "names no change: it has these values already");
  const sizes = sizesAfter(group, changes);
  requireOrder({
    minimum_size: sizes.minimumSize,
    maximum_size: sizes.maximumSize,
    desired_capacity: sizes.desiredCapacity,
  });
  const launched = changes.blueprintId === undefined ? changes.flavor : flavor;
  if (launched === undefined) return { input: changes, dedicated };
  const path = wanted.flavor === undefined ? BLUEPRINT_PATH : "auto_scaling_group.flavor";
  await requireFlavorOf(db, group, { path, flavor: launched, dedicated });
  const input = { ...changes, flavor: launched, ...(minHealthyPercentage !== undefined && { minHealthyPercentage }) };
  return { input, dedicated };
}

/** The server that the instances become like: the app master for null; undefined if they stay as they are. @throws 422 if there is none */
function serverToBeLike(
  { appMaster, blueprint }: ModifiableGroup,
  id: string | null | undefined,
): Pick<BlueprintServer, "flavor" | "dedicated"> | undefined {
  if (id === undefined) return undefined;
  const server = blueprint ? applicationServerOf(blueprint) : appMaster;
  if (!server) throw invalid(BLUEPRINT_PATH, "has no server with the role app, app_master or solo");
  return server;
}

function sizesAfter(group: Sizes, changes: Partial<Sizes>): Sizes {
  const { minimumSize, maximumSize, desiredCapacity } = { ...group, ...changes };
  return { minimumSize, maximumSize, desiredCapacity };
}

/** @throws 422 with the nearest flavors in size if the group cannot have the flavor where it may launch instances */
async function requireFlavorOf(
  db: Tx,
  { providerId, region: locationId, environmentId, flavor: former }: ModifiableGroup["group"],
  { path, flavor, dedicated }: { path: string; flavor: string; dedicated: boolean },
): Promise<void> {
  const { networkId } = await db.environment.findUniqueOrThrow({ where: { id: environmentId } });
  const subnets = networkId ? await db.subnet.findMany({ where: { networkId, deletedAt: null } }) : undefined;
  const isUsed = (zone: string) => !subnets || subnets.some(({ location }) => location === zone);
  const change = { providerId, locationId, former, flavor, settings: { dedicated }, isUsed };
  await requireFlavorFor(db, { holder: "group", path, ...change });
}

/** Accepts a change of a group in place. @throws 409 or 422 if it cannot change so */
export async function modifyGroup(
  { caller, db, env, createRequest }: Accepting & { env: Env },
  groupId: string,
  given: z.output<typeof groupChangesInput>,
  minHealthyPercentage?: number,
) {
  const modifiable = await findModifiableGroup(caller, db, groupId, given.blueprint_id);
  const { flavor, blueprint_id, minimum_size, maximum_size, desired_capacity } = given;
  const { input, dedicated } = await changesOfGroup(db, modifiable, {
    ...(flavor !== undefined && { flavor }),
    ...(blueprint_id !== undefined && { blueprintId: blueprint_id }),
    ...(minimum_size !== undefined && { minimumSize: minimum_size }),
    ...(maximum_size !== undefined && { maximumSize: maximum_size }),
    ...(desired_capacity !== undefined && { desiredCapacity: desired_capacity }),
    ...(minHealthyPercentage !== undefined && { minHealthyPercentage }),
  });
  if (input.flavor !== undefined) requireReachableReports(env);
  const { id, accountId } = modifiable.group;
  return createRequest("modify_auto_scaling_group", {
    accountId,
    resource: { type: "auto_scaling_group", id },
    input,
    changes: () => groupChange(modifiable, { input, dedicated }, env.SERVER_IMAGE_PARAMETER),
  });
}

/** What a Request changes of a group in place. */
function groupChange(
  { group, appMaster, dedicated: isDedicated }: ModifiableGroup,
  { input, dedicated }: GroupChanges,
  imageParameter: string,
): ChangeInPlace {
  const instances = ({ flavor, dedicated, ...sizes }: Sizes & { flavor: string; dedicated: boolean }) =>
    plannedGroup({ region: group.region, ...sizes }, { ...appMaster, flavor, dedicated }, imageParameter)[1];
  const after = { ...sizesAfter(group, input), flavor: input.flavor ?? group.flavor, dedicated };
  const changes = plannedChanges(autoScalingGroupChanges, group, input).map((each) =>
    ["flavor", "blueprint_id"].includes(each.field)
      ? { ...each, effect: `${each.effect} ${replacement(group, input)}` }
      : each,
  );
  const [former, wanted] = [instances({ ...group, dedicated: isDedicated }), instances(after)];
  return former && wanted ? { changes, before: former, after: wanted } : { changes };
}

/** How many instances are replaced at once, and for how long: "usually" is what the first boot and AWS's checks take. */
function replacement(
  { desiredCapacity }: Sizes,
  { minHealthyPercentage: least = MIN_HEALTHY_PERCENTAGE }: Input,
): string {
  const count = Math.max(0, desiredCapacity - 1);
  if (count === 0) return "It has no other instance now.";
  const size = Math.min(count, Math.max(1, Math.floor((desiredCapacity * (100 - least)) / 100)));
  const rounds = Math.ceil(count / size);
  const first = least === 100 ? "a new one first" : `${size} at once`;
  return `It replaces ${count}, ${first}, which usually takes ${4 * rounds} to ${8 * rounds} minutes.`;
}
