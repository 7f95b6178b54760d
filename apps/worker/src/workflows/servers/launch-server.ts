import type { Account, Environment, Server, Volume } from "@gantry/db";
import { defaultSubnets } from "../../aws/ec2/default-vpc.js";
import { describeOwnImage, image, isOfUnknownImage } from "../../aws/ec2/image.js";
import { instance, instanceReporting } from "../../aws/ec2/instance.js";
import { findServerImage, type ServerImage } from "../../aws/ssm/server-image.js";
import { type NotYet, notShown, permanent, poll } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";
import { firstBootOf } from "./first-boot.js";
import { instanceProfileOf, securityGroupsOf } from "./server-settings.js";
import { isDataVolume } from "./server-volumes.js";

type Context = Pick<AwsStageContext, "db" | "request" | "cloud" | "callback">;
export type ServerToLaunch = Server & { environment: Environment & { account: Account }; volumes: Volume[] };

/**
 * Launches the server's instance, from its own image if its root disk restores a snapshot. Returns the ids of both in AWS.
 * A repeated call uses the parameters of the first one. Throws `NotYet` until AWS can launch from the server's own image.
 */
export async function launchServer(
  context: Context,
  server: ServerToLaunch,
): Promise<{ provisionedId: string; imageId: string | null }> {
  const { cloud, db } = context;
  const { environment, environmentId, providerId, region, location } = server;
  const callback = context.callback();
  const scope = cloud({ providerId, region, environmentId });
  const root = server.volumes.find((volume) => !isDataVolume(volume) && volume.fromSnapshot !== null);
  const [placement, serverImage, securityGroupIds, profile, firstBoot] = await Promise.all([
    placeOf(context, server),
    root ? restoredImage(context, server, root) : imageFor(context, server),
    securityGroupsOf(db, server),
    instanceProfileOf(db, server),
    firstBootOf(context, server, callback && { serverId: server.id, url: callback.url }),
  ]);
  if (!serverImage) throw permanent("The image for servers does not exist in this region");
  if (!environment.keyPairName) throw permanent(`The key pair of environment ${environment.id} does not exist in AWS`);
  if (!placement) throw permanent(`The AWS account has no default subnet in ${location}; use a network`);
  const launching = scope.ensure(callback ? instanceReporting(callback.token) : instance, {
    ...serverImage,
    flavor: server.flavor,
    ...placement,
    securityGroupIds,
    keyName: environment.keyPairName,
    ...(profile && { instanceProfile: profile }),
    dedicated: server.dedicated,
    cpuCredits: server.cpuCredits,
    encryptedRoot: environment.encryptedEbsForEverything || environment.account.requiresEncryption,
    firstBoot,
  });
  const provisionedId = await launching.catch((error) => {
    throw root && isOfUnknownImage(error) ? untilImageIsShown() : error;
  });
  return { provisionedId, imageId: root ? serverImage.imageId : null };
}

async function imageFor({ db, cloud }: Context, { flavor, providerId, region }: Server) {
  return cloud({ providerId, region }).call(findServerImage(await architectureOf(db, flavor)));
}

/** Registers the image of the snapshot that the server's root disk restores. */
async function restoredImage(
  { db, cloud }: Context,
  { flavor, providerId, region, environmentId }: Server,
  { fromSnapshot, device, sizeGb }: Volume,
): Promise<ServerImage> {
  if (!fromSnapshot || !device) throw permanent("The root disk of the server has no snapshot or no device");
  const scope = cloud({ providerId, region, environmentId });
  const architecture = (await architectureOf(db, flavor)) ?? "x86_64";
  const imageId = await scope.ensure(image, { snapshotId: fromSnapshot, rootDevice: device, architecture });
  const seen = await scope.call(describeOwnImage(imageId));
  if (!seen) throw notShown(imageId);
  const { state, rootSizeGb } = seen;
  if (state === "pending") throw untilImageIsShown();
  if (state !== "available") throw permanent(`AWS could not register the snapshot's image, which is ${state}`);
  // The disk may have grown outside of Gantry before the snapshot.
  return { imageId, rootDevice: device, rootSizeGb: Math.max(sizeGb, rootSizeGb) };
}

function untilImageIsShown(): NotYet {
  return poll("AWS to make the snapshot's image available");
}

async function architectureOf(db: Context["db"], flavor: string): Promise<string | undefined> {
  return (await db.instanceType.findUnique({ where: { name: flavor } }))?.architecture;
}

/** The subnet of a server, or undefined if its zone has no default subnet. */
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
