import type { Server, Volume } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import { instance } from "../../aws/ec2/instance.js";
import { kinds } from "../../aws/kinds.js";
import { notYet } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

type Context = Pick<AwsStageContext, "db" | "cloud">;
type MovingServer = Server & { volumes: Volume[] };

/** A placement as the API writes it; an alias, since JSON requires an index signature. */
type Alternative = { zone: string; subnetId: string | null };

/**
 * Moves a server for which AWS has no capacity to the next of its alternatives, and adds a message to its Request.
 *
 * @throws NotYet, so that the server is launched there; the error itself if no alternative is left
 */
export async function moveServer(
  { request, db }: Pick<AwsStageContext, "request" | "db">,
  server: MovingServer,
  error: unknown,
): Promise<never> {
  const [next, ...alternatives] = server.alternatives as unknown as Alternative[];
  if (!next) throw error;
  const { id, location, flavor } = server;
  const moved = { location: next.zone, subnetId: next.subnetId };
  await db.volume.updateMany({ where: { serverId: id, deletedAt: null }, data: { location: next.zone } });
  await db.server.update({ where: { id }, data: { ...moved, alternatives, leavingZone: location } });
  const message = `AWS cannot launch ${flavor} in ${location} now; trying ${next.zone}`;
  await db.requestMessage.create({ data: { id: uuidv7(), requestId: request.id, stage: "server.launch", message } });
  throw notYet(message, { retryInSeconds: 0 });
}

/** Removes what the launch that AWS refused has left in the zone that the server leaves. */
export async function leaveZone({ db, cloud }: Context, server: MovingServer): Promise<void> {
  if (server.leavingZone === null) return;
  const { id, providerId, region, volumes } = server;
  await cloud({ providerId, region }).removeOf(instance);
  for (const volume of volumes) {
    await cloud({ providerId, region, owner: { type: "volume", id: String(volume.id) } }).removeAll(kinds);
  }
  await db.server.update({ where: { id }, data: { leavingZone: null } });
}
