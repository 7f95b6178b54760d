import type { Account, Environment, Server, Volume } from "@gantry/db";
import { defaultSubnets } from "../../aws/ec2/default-vpc.js";
import { instance, instanceReporting } from "../../aws/ec2/instance.js";
import { findServerImage } from "../../aws/ssm/server-image.js";
import { permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";
import { firstBootOf } from "./first-boot.js";
import { instanceProfileOf, securityGroupsOf } from "./server-settings.js";

type Context = Pick<AwsStageContext, "db" | "cloud" | "callback">;
export type ServerToLaunch = Server & { environment: Environment & { account: Account }; volumes: Volume[] };

/** Launches the server's instance and gives its id. A repeated call uses the parameters of the first one. */
export async function launchServer(context: Context, server: ServerToLaunch): Promise<string> {
  const { cloud, db } = context;
  const { environment, environmentId, providerId, region, location } = server;
  const callback = context.callback();
  const scope = cloud({ providerId, region, environmentId });
  const [place, image, securityGroupIds, profile, firstBoot] = await Promise.all([
    placeOf(context, server),
    imageFor(context, server),
    securityGroupsOf(db, server),
    instanceProfileOf(db, server),
    firstBootOf(db, server, { ...(callback && { url: callback.url }), volumes: server.volumes }),
  ]);
  if (!image) throw permanent("The image for servers does not exist in this region");
  if (!environment.keyPairName) throw permanent(`The key pair of environment ${environment.id} does not exist in AWS`);
  if (!place) throw permanent(`The AWS account has no default subnet in ${location}; use a network`);
  return scope.ensure(callback ? instanceReporting(callback.token) : instance, {
    ...image,
    flavor: server.flavor,
    ...place,
    securityGroupIds,
    keyName: environment.keyPairName,
    ...(profile && { instanceProfile: profile }),
    dedicated: server.dedicated,
    cpuCredits: server.cpuCredits,
    encryptedRoot: environment.encryptedEbsForEverything || environment.account.requiresEncryption,
    firstBoot,
  });
}

async function imageFor({ db, cloud }: Context, { flavor, providerId, region }: Server) {
  const type = await db.instanceType.findUnique({ where: { name: flavor } });
  return cloud({ providerId, region }).call(findServerImage(type?.architecture));
}

/** The subnet of a server, or undefined where its zone has no default subnet. */
async function placeOf(
  { db, cloud }: Context,
  { subnetId, providerId, region, location }: Server,
): Promise<{ subnetId: string; isPrivate: boolean } | undefined> {
  if (!subnetId) {
    const [first] = await cloud({ providerId, region }).call(defaultSubnets({ zones: [location] }));
    return first === undefined ? undefined : { subnetId: first, isPrivate: false };
  }
  const { provisionedId, private: isPrivate } = await db.subnet.findUniqueOrThrow({ where: { id: subnetId } });
  if (!provisionedId) throw permanent("The subnet of this server does not exist in AWS");
  return { subnetId: provisionedId, isPrivate };
}
