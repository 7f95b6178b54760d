import type { Server } from "@gantry/db";
import { isRefusedFlavor, setFlavor } from "../../aws/ec2/instance-settings.js";
import { addMessage } from "../../engine/request-message.js";
import type { AwsStageContext } from "../aws-workflow.js";

/** Gives a stopped server its pending flavor, if it has one. If AWS refuses that, a message of the Request says so. */
export async function applyPendingFlavor(
  context: Pick<AwsStageContext, "db" | "cloud" | "request">,
  { id, provisionedId, providerId, region, flavor, pendingFlavor }: Server,
): Promise<void> {
  const { db, cloud } = context;
  if (!pendingFlavor || !provisionedId) return;
  try {
    await cloud({ providerId, region }).call(setFlavor(provisionedId, pendingFlavor));
    await db.server.update({ where: { id }, data: { flavor: pendingFlavor, pendingFlavor: null } });
  } catch (error) {
    if (!isRefusedFlavor(error)) throw error;
    await addMessage(context, `AWS refuses the flavor ${pendingFlavor} for this server, which keeps ${flavor}`);
    await db.server.update({ where: { id }, data: { pendingFlavor: null } });
  }
}
