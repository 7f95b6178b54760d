import type { Server } from "@gantry/db";
import type { InputOf } from "@gantry/resources";
import { describeInstance, type InstanceState, isTerminated } from "../../aws/ec2/describe-instance.js";
import { notShown, permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

/** What a Request that changes a server's flavor must restore if it fails; an alias, since JSON requires an index signature. */
export type FlavorChange = {
  requestId: string;
  /** The flavors before the Request. */
  flavor: string;
  pendingFlavor: string | null;
  /** True once the instance was seen running: then it runs at the end. */
  isRunning: boolean;
  /** AWS's sentence about the stop for the change; it names the time, so that a later stop has another one. */
  stopped?: string;
};

type Context = Pick<AwsStageContext, "request" | "resourceId" | "db">;

/** The server, and what its change must restore; undefined if the Request has not begun it. */
export async function findChange({ request, resourceId, db }: Context) {
  const server = await db.server.findUniqueOrThrow({ where: { id: Number(resourceId) } });
  const change = server.resizing as FlavorChange | null;
  return { server, change: change?.requestId === request.id ? change : undefined };
}

/** The same, written before anything changes if the Request has not begun. */
export async function beginChange(context: Context): Promise<{ server: Server; change: FlavorChange }> {
  const { server, change } = await findChange(context);
  if (change) return { server, change };
  const { flavor, pendingFlavor } = server;
  const begun = { requestId: context.request.id, flavor, pendingFlavor, isRunning: false };
  await saveChange(context, begun);
  return { server, change: begun };
}

export async function saveChange({ db, resourceId }: Pick<Context, "db" | "resourceId">, change: FlavorChange) {
  await db.server.update({ where: { id: Number(resourceId) }, data: { resizing: change } });
}

/** True if the Request changes the instance, not only the record. */
export function changesInstance({ flavor, apply }: InputOf<"modify_server">, change: FlavorChange): boolean {
  return apply === "now" && flavor !== change.flavor;
}

/** The instance of a server. @throws PermanentFailure if it is terminated; NotShown */
export async function requireInstance({ cloud }: Pick<AwsStageContext, "cloud">, server: Server) {
  const { provisionedId: id, providerId, region, deletedAt } = server;
  if (!id || deletedAt) throw permanent("The server does not exist in AWS");
  const scope = cloud({ providerId, region });
  const found = await scope.call(describeInstance(id));
  if (!found) throw notShown(id);
  if (isTerminated(found)) throw permanent(`The instance ${id} was terminated in AWS`);
  return { id, scope, found };
}

/** True if the instance was stopped again after the stop for its change, and not by AWS. */
export function wasStoppedAgain({ state, reason, transition }: InstanceState, { stopped }: FlavorChange): boolean {
  const isStopped = state === "stopped" && stopped !== undefined && stopped !== transition;
  return isStopped && /^Client\.(User|Instance)InitiatedShutdown$/.test(reason);
}
