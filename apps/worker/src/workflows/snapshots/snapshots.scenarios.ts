import { randomUUID } from "node:crypto";
import type { Scenarios, Stage } from "@gantry/test/support/scenario";
import { open } from "@gantry/test/support/work";
import { serverWithVolume } from "../volumes/volumes.scenarios.js";

const BESIDE = { volume: 1, instance: 1 };

/** Asks for a snapshot of a server's only volume. */
async function snapshotOf(stage: Stage) {
  const { db, customer } = stage;
  const { server, volume } = await serverWithVolume(stage);
  const { accountId, providerId, environmentId, region, id: serverId } = server;
  const row = { accountId, providerId, environmentId, region, serverId, volumeId: volume.id, sizeGb: 4 };
  const { id } = await db.snapshot.create({ data: { ...row, requestId: randomUUID() } });
  const requestId = await open(
    db,
    customer,
    "snapshot_server",
    { type: "server", id: serverId },
    { snapshotIds: [id] },
  );
  return { snapshot: { type: "snapshot", id } as const, requestId };
}

export const snapshotScenarios = {
  snapshot_server: {
    open: async (stage) => (await snapshotOf(stage)).requestId,
    afterSuccess: { ...BESIDE, snapshot: 1 },
    afterFailure: BESIDE,
  },
  deprovision_snapshot_request: {
    open: async (stage) => {
      const { snapshot } = await snapshotOf(stage);
      await stage.settle();
      return open(stage.db, stage.customer, "deprovision_snapshot_request", snapshot, {});
    },
    afterSuccess: BESIDE,
  },
} satisfies Scenarios;
