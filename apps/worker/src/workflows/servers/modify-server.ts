import { Prisma } from "@gantry/db";
import { codeOf } from "../../aws/aws-errors.js";
import { isWithoutRoom, startInstance, stopInstance } from "../../aws/ec2/instance.js";
import { isRefusedFlavor, setFlavor } from "../../aws/ec2/instance-settings.js";
import { addMessage } from "../../engine/request-message.js";
import { notYet, permanent, poll } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { findInstance, recordInstance } from "../refresh-server.js";
import {
  beginChange,
  changesInstance,
  findChange,
  requireInstance,
  saveChange,
  wasStoppedAgain,
} from "./flavor-change.js";

/** The time for which AWS may lack capacity for the new flavor while the server is away; then it gets the former one. */
const CAPACITY_MINUTES = 10;

/**
 * Gives a server another flavor: stops it, changes it, and starts it if it ran. A failure or a cancel gives it the former
 * flavor, and starts it if it ran. With `next-stop` it only writes the record.
 */
export const modifyServer = awsWorkflow({
  type: "modify_server",
  stages: {
    "server.stop": async (context) => {
      const { input, db } = context;
      const { server, change: begun } = await beginChange(context);
      if (!changesInstance(input, begun)) return;
      const { id, scope, found } = await requireInstance(context, server);
      const change = { ...begun, flavor: found.flavor };
      // The flavor was changed outside of Gantry: that is the former one.
      if (found.flavor !== begun.flavor) {
        await saveChange(context, change);
        await db.server.update({ where: { id: server.id }, data: { flavor: found.flavor } });
      }
      if (!changesInstance(input, change)) return;
      if (found.state === "stopped") {
        await saveChange(context, { ...change, stopped: found.transition });
        await recordInstance(context, server, found);
        return;
      }
      if (!change.isRunning && found.state !== "stopping") await saveChange(context, { ...change, isRunning: true });
      if (found.state === "running") await scope.call(stopInstance(id));
      throw poll("the instance to stop");
    },

    "server.modify": async (context) => {
      const { input, db } = context;
      const { server, change } = await beginChange(context);
      if (!changesInstance(input, change)) {
        const pendingFlavor = input.flavor === server.flavor ? null : input.flavor;
        await db.server.update({ where: { id: server.id }, data: { pendingFlavor } });
        return;
      }
      const { id, scope, found } = await requireInstance(context, server);
      if (found.flavor !== input.flavor) {
        if (found.state !== "stopped") throw permanent(`The instance ${id} was started in AWS before it was changed`);
        await scope.call(setFlavor(id, input.flavor)).catch((error) => {
          if (!isRefusedFlavor(error)) throw error;
          throw permanent(`AWS refuses the flavor ${input.flavor} for this server, which keeps ${change.flavor}`);
        });
      }
      await db.server.update({ where: { id: server.id }, data: { flavor: input.flavor, pendingFlavor: null } });
    },

    "server.start": async (context) => {
      const { server, change } = await beginChange(context);
      if (!changesInstance(context.input, change)) return;
      const { id, scope, found } = await requireInstance(context, server);
      if (change.isRunning && found.state !== "running") {
        if (wasStoppedAgain(found, change)) throw permanent(`The instance ${id} was stopped in AWS while it started`);
        if (found.state === "stopped")
          await scope.call(startInstance(id)).catch(async (error) => {
            throw await refusedStart(context, error, server.location, change.flavor);
          });
        throw poll("the instance to be running");
      }
      await recordInstance(context, server, found);
    },
  },

  undo: async (context) => {
    const { db, input, cloud } = context;
    const { server, change } = await findChange(context);
    if (!change) return;
    const former = { flavor: change.flavor, pendingFlavor: change.pendingFlavor };
    const restore = () => db.server.update({ where: { id: server.id }, data: former });
    const { provisionedId: id, providerId, region } = server;
    const found = changesInstance(input, change) ? await findInstance(context, server) : undefined;
    if (!id || !found) {
      await db.server.update({ where: { id: server.id }, data: { ...former, resizing: Prisma.DbNull } });
      return;
    }
    await recordInstance(context, server, found);
    const scope = cloud({ providerId, region });
    if (server.flavor !== change.flavor || found.flavor !== change.flavor) {
      if (found.state !== "stopped") {
        const { stopped: _, ...unstopped } = change;
        await saveChange(context, unstopped);
        if (found.state === "running") await scope.call(stopInstance(id));
        throw poll("the instance to stop");
      }
      await scope.call(setFlavor(id, change.flavor));
    }
    await restore();
    if (!change.isRunning || wasStoppedAgain(found, change)) return;
    // AWS may still show one running that it is about to stop, and refuses to start it until then.
    const isStarting = await scope.call(startInstance(id)).then(
      () => true,
      (error) => {
        if (codeOf(error) === "IncorrectInstanceState") return false;
        throw error;
      },
    );
    if (!isStarting || found.state !== "running") throw poll("the instance to be running");
  },

  discard: async (context) => {
    const { server, change } = await findChange(context);
    if (!change || !changesInstance(context.input, change)) return;
    await addMessage(context, `The server has the flavor ${server.flavor} and is ${server.state}`);
  },
});

/** The error of a start that AWS refused: without capacity a wait, and after some minutes the failure. */
async function refusedStart(
  { request, db, input }: Pick<AwsStageContext, "request" | "db"> & { input: { flavor: string } },
  error: unknown,
  zone: string,
  former: string,
): Promise<unknown> {
  const { flavor } = input;
  const returning = `the server returns to ${former}`;
  if (codeOf(error) === "Unsupported") return permanent(`AWS does not offer ${flavor} in ${zone}; ${returning}`);
  if (isRefusedFlavor(error))
    return permanent(`AWS does not start this server with the flavor ${flavor}; ${returning}`);
  if (!isWithoutRoom(error)) return error;
  const { startedAt } = await db.requestStage.findUniqueOrThrow({
    where: { requestId_name: { requestId: request.id, name: "server.start" } },
  });
  if (Date.now() - startedAt.getTime() > CAPACITY_MINUTES * 60_000)
    return permanent(`AWS has had no capacity for ${flavor} in ${zone} for ${CAPACITY_MINUTES} minutes; ${returning}`);
  return notYet(`AWS to have capacity for ${flavor} in ${zone}`, { retryInSeconds: 30 });
}
