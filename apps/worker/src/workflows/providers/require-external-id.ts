import { demandsExternalId } from "../../aws/checks/external-id.js";
import type { Aws } from "../../aws/clients.js";
import type { CloudScope } from "../../engine/cloud-scope.js";
import { permanent } from "../../engine/stage-errors.js";

/**
 * Requires that a role can only be assumed with its account's external id: another account could name a role that lets
 * every external id in.
 *
 * @throws PermanentFailure
 */
export async function requireExternalId(aws: CloudScope<Aws>, roleArn: string, externalId: string): Promise<void> {
  if (await aws.call((clients) => demandsExternalId(clients, roleArn))) return;
  throw permanent(
    `AWS lets Gantry assume ${roleArn} with any external id, so another account could use it as its own. Its trust policy must require sts:ExternalId ${externalId}`,
  );
}
