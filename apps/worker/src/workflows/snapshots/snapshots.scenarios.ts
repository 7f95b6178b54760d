import { deepEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf } from "@gantry/test/support/work";
import { describeSnapshot } from "../../aws/ec2/snapshot.js";
import { serverWithVolume } from "../volumes/volumes.scenarios.js";

const SERVER = { volume: 1, instance: 1 };

/** Creates a Request for a snapshot of a server's only volume. */
async function snapshotOf(context: ScenarioContext) {
  const { db, customer } = context;
  const { server, volume } = await serverWithVolume(context);
  const { accountId, providerId, environmentId, region, id: serverId } = server;
  const row = { accountId, providerId, environmentId, region, serverId, volumeId: volume.id, sizeGb: 4 };
  const { id } = await db.snapshot.create({ data: { ...row, requestId: randomUUID() } });
  const resource = { type: "server", id: serverId } as const;
  const requestId = await createRequestOf(db, customer, "snapshot_server", resource, { snapshotIds: [id] });
  return { snapshot: { type: "snapshot", id } as const, requestId };
}

export const snapshotScenarios = {
  snapshot_server: {
    createRequest: async (context) => (await snapshotOf(context)).requestId,
    afterSuccess: { ...SERVER, snapshot: 1 },
    afterFailure: SERVER,
  },
  deprovision_snapshot_request: {
    createRequest: async (context) => {
      const { snapshot } = await snapshotOf(context);
      await context.finishRequests();
      return createRequestOf(context.db, context.customer, "deprovision_snapshot_request", snapshot, {});
    },
    afterSuccess: SERVER,
    verify: async ({ db, aws }, { resourceId }) => {
      const row = await db.snapshot.findUniqueOrThrow({ where: { id: Number(resourceId) } });
      const found = await describeSnapshot(row.provisionedId ?? "")(aws);
      deepEqual([row.deletedAt !== null, found], [true, undefined]);
    },
  },
} satisfies Scenarios;
