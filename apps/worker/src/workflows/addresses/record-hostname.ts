import type { Server } from "@gantry/db";
import { describeInstance } from "../../aws/ec2/describe-instance.js";
import type { AwsStageContext } from "../aws-workflow.js";

/** Records the current public hostname of a server's instance. */
export async function recordHostname({ db, cloud }: Pick<AwsStageContext, "db" | "cloud">, server: Server) {
  const { id, providerId, region, provisionedId } = server;
  if (!provisionedId) return;
  const instance = await cloud({ providerId, region }).call(describeInstance(provisionedId));
  await db.server.update({ where: { id }, data: { publicHostname: instance?.publicHostname ?? null } });
}
