import type { Child } from "../../engine/children.js";
import { childForEach } from "../../engine/children.js";
import { addMessage } from "../../engine/request-message.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { objectOwnersOf } from "../servers/object-owners.js";

/**
 * Adds servers to an environment, all in parallel, and removes others once all of these run. A failure or a cancel removes
 * the added ones, unless the removals have begun: then everything stays as it is, and a message says how many are gone.
 */
export const scaleEnvironment = awsWorkflow({
  type: "scale_environment",
  // Asked first, so that what cannot be removed is known before anything is added.
  removesObjectsOf: ({ db, input }) =>
    objectOwnersOf(
      db,
      input.removedServerIds.map((id) => ({ id })),
    ),
  stages: {
    "add-servers": async ({ input, children }) => {
      const provisions = input.addedServerIds.map(
        (id): Child => ({ type: "provision_server", resource: { type: "server", id }, input: { addressId: null } }),
      );
      await children.finish(provisions);
    },
    "remove-servers": ({ input, children }) => {
      const servers = input.removedServerIds.map((id) => ({ id }));
      return children.finish(childForEach("deprovision_server", "server", servers));
    },
  },
  undo: async (context) => {
    const { input, db, children } = context;
    if (await hasBegunRemovals(context, input.removedServerIds)) {
      const { removedServerIds: ids } = input;
      const gone = await db.server.count({ where: { id: { in: ids }, deletedAt: { not: null } } });
      await addMessage(context, `${gone} of ${ids.length} servers were removed; the added servers stay`);
      return;
    }
    const servers = await db.server.findMany({
      where: { id: { in: input.addedServerIds }, deletedAt: null, provisionedId: { not: null } },
    });
    await children.finish(childForEach("deprovision_server", "server", servers));
  },
  discard: async (context) => {
    const { input, db } = context;
    if (await hasBegunRemovals(context, input.removedServerIds)) return;
    const deletedAt = new Date();
    const isAdded = { in: input.addedServerIds };
    await db.volume.updateMany({ where: { serverId: isAdded, deletedAt: null }, data: { deletedAt } });
    await db.server.updateMany({
      where: { id: isAdded, deletedAt: null },
      data: { deletedAt, state: "terminated" },
    });
  },
});

/** Whether a child removes one of the servers, or has removed it. An undo's children remove added ones. */
async function hasBegunRemovals({ request, db }: Pick<AwsStageContext, "request" | "db">, serverIds: number[]) {
  const resourceId = { in: serverIds.map(String) };
  const removals = { parentId: request.id, type: "deprovision_server", resourceType: "server", resourceId };
  return (await db.request.count({ where: removals })) > 0;
}
