import { isDeepStrictEqual } from "node:util";
import type { Environment, Server } from "@gantry/db";
import type { GantryTagKey, Tags } from "@gantry/resources";
import type { InstanceState } from "../../aws/ec2/describe-instance.js";
import { authorizedKeysFile } from "../../aws/ec2/first-boot.js";
import { createTags, rebootInstance, startInstance, stopInstance } from "../../aws/ec2/instance.js";
import { hasProfileName, setInstanceProfile, setSecurityGroups } from "../../aws/ec2/instance-settings.js";
import { notShown, permanent, poll } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { findInstance, recordInstance } from "../refresh-server.js";
import { authorizedKeysOf } from "./first-boot.js";
import { applyPendingFlavor } from "./pending-flavor.js";
import { instanceProfileOf, securityGroupsOf } from "./server-settings.js";

/** The time after which a server that no longer asks for its SSH keys is no longer waited for. */
const KEYS_MINUTES = 10;

/**
 * Applies a server's record to its instance and its SSH keys to the server, or starts, stops or reboots it, and records
 * what AWS shows. A start or a stop gives the stopped server its pending flavor.
 */
export const instanceUpdate = awsWorkflow({
  type: "instance_update",
  stages: {
    update: async (context) => {
      const { resourceId, input, db, cloud } = context;
      const server = await db.server.findUniqueOrThrow({
        where: { id: Number(resourceId) },
        include: { environment: true },
      });
      const { provisionedId, providerId, region } = server;
      const found = await findInstance(context, server);
      if (!provisionedId || server.deletedAt) throw permanent("The server does not exist in AWS");
      if (!found) throw notShown(provisionedId);
      const scope = cloud({ providerId, region });
      const isStopped = found.state === "stopped";
      if (isStopped && (input.action === "start" || input.action === "stop")) await applyPendingFlavor(context, server);
      if (input.action === "start") await reach("running", ["stopped"], () => scope.call(startInstance(provisionedId)));
      if (input.action === "stop") await reach("stopped", ["running"], () => scope.call(stopInstance(provisionedId)));
      if (input.action === "reboot") await scope.call(rebootInstance(provisionedId));
      await Promise.all([
        input.action === "apply" ? apply(context, server, provisionedId, found) : undefined,
        input.action === "apply" ? setKeys(db, server) : undefined,
        recordInstance(context, server, found),
      ]);

      async function reach(state: string, from: string[], change: () => Promise<void>): Promise<void> {
        if (found?.state === state) return;
        if (from.includes(found?.state ?? "")) await change();
        throw poll(`the instance to be ${state}`);
      }
    },
    keys: async ({ resourceId, input, db }) => {
      if (input.action !== "apply") return;
      const { state, keysAskedAt, keysCurrent } = await db.server.findUniqueOrThrow({
        where: { id: Number(resourceId) },
      });
      // A server that never asks keeps its keys, and one that does not run asks when it runs again.
      if (!keysAskedAt || keysCurrent || state !== "running") return;
      throw poll("the server to request its SSH keys, which it does every minute", { limitMinutes: KEYS_MINUTES });
    },
  },
});

/** Sets the SSH keys that the server must have. It asks for them itself. */
async function setKeys(db: AwsStageContext["db"], server: Server & { environment: Environment }): Promise<void> {
  const authorizedKeys = authorizedKeysFile(await authorizedKeysOf(db, server.environment));
  if (server.authorizedKeys === authorizedKeys) return;
  await db.server.update({ where: { id: server.id }, data: { authorizedKeys, keysCurrent: false } });
}

async function apply(
  { db, cloud }: Pick<AwsStageContext, "db" | "cloud">,
  server: Server & { environment: Environment },
  instanceId: string,
  found: InstanceState,
): Promise<void> {
  const { id, accountId, providerId, region, environment, role, name } = server;
  const scope = cloud({ providerId, region });
  const [groups, profile] = await Promise.all([securityGroupsOf(db, server), instanceProfileOf(db, server)]);
  const tags = {
    ...(server.tags as Tags),
    "gantry:account": accountId,
    "gantry:resource": `server/${id}`,
    "gantry:environment": String(environment.id),
    "gantry:role": role,
    Name: `${environment.name} ${name ?? role} ${id}`,
  } satisfies Tags & { [Key in GantryTagKey]?: string };
  const isInGroups = isDeepStrictEqual(new Set(found.securityGroupIds), new Set(groups));
  await Promise.all([
    scope.call(createTags(instanceId, tags)),
    isInGroups ? undefined : scope.call(setSecurityGroups(instanceId, groups)),
    hasProfileName(found.instanceProfileArn, profile) ? undefined : scope.call(setInstanceProfile(instanceId, profile)),
  ]);
}
