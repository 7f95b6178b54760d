import type { Environment, Server, Volume } from "@gantry/db";
import { defaultSubnets } from "../../aws/ec2/default-vpc.js";
import { instance, instanceReporting } from "../../aws/ec2/instance.js";
import { findServerImage } from "../../aws/ssm/server-image.js";
import { permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";
import { firstBootOf } from "./first-boot.js";
import { instanceProfileOf, securityGroupOf } from "./server-settings.js";

type Context = Pick<AwsStageContext, "db" | "cloud" | "callback">;
export type ServerToLaunch = Server & { environment: Environment; volumes: Volume[] };

/** Launches the server's instance and gives its id. A repeated call uses the parameters of the first one. */
export async function launchServer(context: Context, server: ServerToLaunch): Promise<string> {
  const { cloud, db } = context;
  const { environment, providerId, region, location } = server;
  const callback = context.callback();
  const scope = cloud({ providerId, region });
  const [subnetId, image, group, profile, firstBoot] = await Promise.all([
    subnetOf(context, server),
    scope.call(findServerImage),
    securityGroupOf(db, server),
    instanceProfileOf(db, server),
    firstBootOf(db, server, { ...(callback && { url: callback.url }), volumes: server.volumes }),
  ]);
  if (!image) throw permanent("The image for servers does not exist in this region");
  if (!environment.keyPairName) throw permanent(`The key pair of environment ${environment.id} does not exist in AWS`);
  if (!subnetId) throw permanent(`The AWS account has no default subnet in ${location}; use a network`);
  return scope.ensure(callback ? instanceReporting(callback.token) : instance, {
    ...image,
    flavor: server.flavor,
    subnetId,
    securityGroupIds: [group],
    keyName: environment.keyPairName,
    ...(profile && { instanceProfile: profile }),
    dedicated: server.dedicated,
    volumeOptimized: /^(m4|r4|c4)\./.test(server.flavor),
    encryptedRoot: environment.encryptedEbsForEverything,
    firstBoot,
  });
}

async function subnetOf({ db, cloud }: Context, { subnetId, providerId, region, location }: Server) {
  if (!subnetId) {
    const [first] = await cloud({ providerId, region }).call(defaultSubnets({ zone: location }));
    return first;
  }
  const { provisionedId } = await db.subnet.findUniqueOrThrow({ where: { id: subnetId } });
  if (!provisionedId) throw permanent("The subnet of this server does not exist in AWS");
  return provisionedId;
}
