import type { Environment, Server, Volume } from "@gantry/db";
import { type FirstBoot, MAX_USER_DATA_BYTES, userDataBytes } from "../../aws/ec2/first-boot.js";
import { permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

/**
 * The first-boot settings of a server. Its SSH keys are those of the members who may change the environment, and of the
 * environment's application.
 *
 * @throws PermanentFailure where the settings are larger than AWS's limit
 */
export async function firstBootOf(
  db: AwsStageContext["db"],
  { environment, role }: Pick<Server, "role"> & { environment: Environment },
  { url, volumes = [] }: { url?: string; volumes?: Volume[] } = {},
): Promise<FirstBoot> {
  const { accountId, applicationId, internalPublicKey, username, name } = environment;
  const isMembers = { user: { memberships: { some: { accountId, role: { not: "viewer" as const } } } } };
  const keypairs = await db.keypair.findMany({
    where: { deletedAt: null, OR: [isMembers, ...(applicationId ? [{ applicationId }] : [])] },
    orderBy: { id: "asc" },
  });
  const firstBoot = {
    ...(url && { callback_url: url }),
    username,
    authorized_keys: [...new Set([internalPublicKey, ...keypairs.map(({ publicKey }) => publicKey)])],
    role,
    environment: name,
    volumes: volumes.flatMap(({ device, mount, fromSnapshot }) =>
      device && mount && mount !== "/" ? [{ device, mount, blank: fromSnapshot === null }] : [],
    ),
  };
  if (userDataBytes(firstBoot) > MAX_USER_DATA_BYTES) {
    throw permanent("The SSH keys of the account's members and the application are more than AWS takes; remove some");
  }
  return firstBoot;
}
