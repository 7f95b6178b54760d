import type { Account, Environment, Server, Subnet } from "@gantry/db";
import type { Aws } from "../../aws/clients.js";
import { describeLaunch, type LaunchTemplateParams } from "../../aws/ec2/launch-template.js";
import type { CloudScope } from "../../engine/cloud-scope.js";
import { permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";
import { firstBootOf } from "../servers/first-boot.js";
import { securityGroupsOf } from "../servers/server-settings.js";

/** What a group launches, as its environment and its app master have it now. */
interface LaunchSource {
  scope: CloudScope<Aws>;
  environment: Environment & { account: Account };
  appMaster: Server & { subnet: Subnet | null };
  /** The settings that a blueprint may have instead of the app master. */
  like: { flavor: string; dedicated?: boolean | undefined; cpuCredits?: string | null | undefined };
}

/**
 * The parameters of a group's launch template. Calls AWS twice.
 *
 * @throws a permanent error if the app master, whose image and instance profile the instances get, does not run
 */
export async function groupLaunch(
  context: Pick<AwsStageContext, "db" | "request">,
  { scope, environment, appMaster, like }: LaunchSource,
): Promise<LaunchTemplateParams> {
  const { provisionedId: instanceId } = appMaster;
  const [launched, securityGroupIds, firstBoot] = await Promise.all([
    instanceId && scope.call(describeLaunch(instanceId)),
    environment.firewallId ? securityGroupsOf(context.db, { environmentId: environment.id, role: "app" }) : [],
    firstBootOf(context, { environment, role: "app" }),
  ]);
  if (!launched) throw permanent(`The app master${instanceId ? ` ${instanceId}` : ""} is not running in AWS`);
  return {
    ...launched,
    flavor: like.flavor,
    securityGroupIds,
    keyName: environment.keyPairName,
    dedicated: like.dedicated ?? false,
    cpuCredits: like.cpuCredits ?? null,
    isPrivate: appMaster.subnet?.private ?? false,
    encryptedRoot: environment.encryptedEbsForEverything || environment.account.requiresEncryption,
    firstBoot,
  };
}
