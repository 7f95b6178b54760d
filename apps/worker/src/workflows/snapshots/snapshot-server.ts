import type { Snapshot, Volume } from "@gantry/db";
import { describeSnapshot, snapshot } from "../../aws/ec2/snapshot.js";
import { notShown, permanent, poll } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";

/** Takes a snapshot of each volume of a server, and records their progress until all are complete. */
export const snapshotServer = awsWorkflow({
  type: "snapshot_server",
  stages: {
    "snapshots.perform": async ({ input, db, cloud }) => {
      const snapshots = await db.snapshot.findMany({
        where: { id: { in: input.snapshotIds } },
        include: { volume: true },
      });
      const ensured = await Promise.all(snapshots.map((row) => ensureSnapshot({ db, cloud }, row)));
      if (ensured.some(({ state }) => state === "error")) throw permanent("AWS could not complete a snapshot");
      const incomplete = ensured.filter(({ state }) => state !== "completed");
      if (incomplete.length === 0) return;
      const percent = Math.floor(ensured.reduce((sum, { progress }) => sum + progress, 0) / ensured.length);
      throw poll(`AWS to complete ${incomplete.length} snapshots (${percent}%)`, { limitMinutes: 700 });
    },
  },
  discard: async ({ input, db }) => {
    const data = { deletedAt: new Date(), state: "error" };
    await db.snapshot.updateMany({ where: { id: { in: input.snapshotIds }, deletedAt: null }, data });
  },
});

interface Progress {
  state: string;
  progress: number;
}

async function ensureSnapshot(
  { db, cloud }: Pick<AwsStageContext, "db" | "cloud">,
  row: Snapshot & { volume: Volume },
): Promise<Progress> {
  const { id, providerId, region, environmentId, serverId, volume } = row;
  if (!volume.provisionedId) throw permanent("A volume of the server does not exist in AWS");
  const scope = cloud({ providerId, region, owner: { type: "snapshot", id: String(id) }, environmentId });
  const description = `Volume ${volume.id} of server ${serverId}`;
  const provisionedId = await scope.ensure(snapshot, { volumeId: volume.provisionedId, description });
  const seen = await scope.call(describeSnapshot(provisionedId));
  if (!seen) throw notShown(provisionedId);
  const { state, progress } = seen;
  if (row.provisionedId !== provisionedId || row.state !== state || row.progress !== progress) {
    await db.snapshot.update({ where: { id }, data: { provisionedId, state, progress } });
  }
  return { state, progress };
}
