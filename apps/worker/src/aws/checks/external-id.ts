import { randomUUID } from "node:crypto";
import { fromTemporaryCredentials } from "@aws-sdk/credential-providers";
import { codeOf } from "../aws-errors.js";
import type { Aws } from "../clients.js";

/**
 * Returns whether AWS refuses a role to a caller with another external id than its owner's. The worker tries it with
 * its own identity and a random id.
 *
 * @throws the SDK's error if AWS answers neither way
 */
export async function demandsExternalId({ sts }: Pick<Aws, "sts">, roleArn: string): Promise<boolean> {
  const { region, requestHandler } = sts.config;
  const session = { RoleSessionName: "gantry-check", DurationSeconds: 900, ExternalId: randomUUID() };
  const assume = fromTemporaryCredentials({
    params: { RoleArn: roleArn, ...session },
    clientConfig: { region, requestHandler },
  });
  try {
    await assume();
    return false;
  } catch (error) {
    if (codeOf(error).startsWith("AccessDenied")) return true;
    throw error;
  }
}
