import { deepEqual } from "node:assert/strict";
import { createOrphanVolume, requestRemoval } from "@gantry/test/support/orphans";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf, requestNetwork } from "@gantry/test/support/work";
import { describeVolume } from "../../aws/ec2/volume.js";

/** A deleted network whose Request says that it left its VPC behind. */
async function leakedNetwork({ db, customer, finishRequests }: ScenarioContext) {
  const { requestId, networkId } = await requestNetwork(db, customer, { skipSubnets: true });
  await finishRequests();
  const objects = await db.cloudObject.findMany({ where: { requestId } });
  const leakedResources = objects.map(({ id, kind, cloudId, region }) => ({ object: id, kind, id: cloudId, region }));
  await db.request.update({ where: { id: requestId }, data: { successful: false, leakedResources } });
  await db.network.update({ where: { id: networkId }, data: { deletedAt: new Date() } });
  return { type: "network", id: networkId } as const;
}

export const driftScenarios = {
  scan_drift: {
    createRequest: async ({ db, customer }) => {
      await createOrphanVolume(customer);
      return createRequestOf(
        db,
        customer,
        "scan_drift",
        { type: "account", id: customer.accountId },
        { quietSeconds: 0 },
      );
    },
    afterSuccess: { volume: 1 },
    verify: async ({ db, customer }) => {
      const found = await db.drift.findMany({ where: { accountId: customer.accountId } });
      deepEqual(
        found.map(({ finding, kind }) => [finding, kind]),
        [["orphan", "volume"]],
      );
    },
    oneIn: 6,
  },
  remove_leaked_resources: {
    createRequest: async (context) =>
      createRequestOf(context.db, context.customer, "remove_leaked_resources", await leakedNetwork(context), {}),
    afterSuccess: {},
    verify: async ({ db, customer }) => {
      const { accountId } = customer;
      const leaking = await db.request.count({ where: { accountId, NOT: { leakedResources: { equals: [] } } } });
      deepEqual([leaking, await db.cloudObject.count({ where: { accountId, removedAt: null } })], [0, 0]);
    },
  },
  remove_orphan: {
    createRequest: async ({ db, customer }) => {
      const cloudId = await createOrphanVolume(customer);
      return requestRemoval(db, customer, { kind: "volume", cloudId });
    },
    afterSuccess: {},
    verify: async ({ db, aws }, { resourceId, input }) => {
      const finding = await db.drift.findUnique({ where: { id: resourceId } });
      deepEqual([finding, await describeVolume(input.cloudId)(aws)], [null, undefined]);
    },
  },
} satisfies Scenarios;
