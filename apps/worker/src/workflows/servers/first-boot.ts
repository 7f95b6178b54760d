import type { Environment, Server, Volume } from "@gantry/db";
import { authorizedKeysFile, type FirstBoot, withKeysThatFit } from "../../aws/ec2/first-boot.js";
import { addMessage } from "../../engine/request-message.js";
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

/** A server that will ask for its SSH keys each minute, and the address to which it reports. */
interface Asking {
  serverId: number;
  url: string;
}

/**
 * The first-boot settings of a server, with as many SSH keys as AWS accepts. A server that asks for its keys gets all of them
 * with the first answer; for others a message of the Request says how many are missing.
 */
export async function firstBootOf(
  { db, request }: Pick<AwsStageContext, "db" | "request">,
  { environment, role, volumes = [] }: Pick<Server, "role"> & { environment: Environment; volumes?: Volume[] },
  asking?: Asking,
): Promise<FirstBoot> {
  const keys = await authorizedKeysOf(db, environment);
  const settings = {
    ...(asking && { callback_url: asking.url }),
    username: environment.username,
    role,
    environment: environment.name,
    volumes: volumes.flatMap(({ device, mount, fromSnapshot }) =>
      device && mount && mount !== "/" ? [{ device, mount, blank: fromSnapshot === null }] : [],
    ),
  };
  const firstBoot = withKeysThatFit(settings, keys);
  const { length } = firstBoot.authorized_keys;
  if (length === keys.length) return firstBoot;
  if (asking) {
    const data = { authorizedKeys: authorizedKeysFile(keys), keysCurrent: false };
    await db.server.update({ where: { id: asking.serverId }, data });
  } else {
    const message = `Only ${length} of ${keys.length} SSH keys are installed: user data has no room for more, and servers that send no reports cannot request the rest`;
    await addMessage({ db, request }, message);
  }
  return firstBoot;
}
