import type { Environment, Server, Volume } from "@gantry/db";
import { type FirstBoot, MAX_USER_DATA_BYTES, userDataBytes } from "../../aws/ec2/first-boot.js";
import { permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

/** The SSH keys of an environment: its own, of the members who may change it, and of its application. */
export async function authorizedKeysOf(db: AwsStageContext["db"], environment: Environment): Promise<string[]> {
  const { accountId, applicationId, internalPublicKey } = environment;
  const isMembers = { user: { memberships: { some: { accountId, role: { not: "viewer" as const } } } } };
  const keypairs = await db.keypair.findMany({
    where: { deletedAt: null, OR: [isMembers, ...(applicationId ? [{ applicationId }] : [])] },
    orderBy: { id: "asc" },
  });
  return [...new Set([internalPublicKey, ...keypairs.map(({ publicKey }) => publicKey)])];
}

/**
 * The first-boot settings of a server.
 *
 * @throws PermanentFailure where the settings are larger than AWS's limit
 */
export async function firstBootOf(
  db: AwsStageContext["db"],
  { environment, role }: Pick<Server, "role"> & { environment: Environment },
  { url, volumes = [] }: { url?: string; volumes?: Volume[] } = {},
): Promise<FirstBoot> {
  const { username, name } = environment;
  const firstBoot = {
    ...(url && { callback_url: url }),
    username,
    authorized_keys: await authorizedKeysOf(db, environment),
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
