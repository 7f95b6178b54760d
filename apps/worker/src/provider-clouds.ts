import type { Db, Vault } from "@gantry/db";
import { LRUCache } from "lru-cache";
import { type Aws, type AwsCredentials, awsOpener } from "./aws/clients.js";
import type { PayToll } from "./aws/tolls.js";
import type { Place } from "./engine/hands.js";
import { permanent } from "./engine/signals.js";

/** How long the credentials of a provider are kept after they were last read, in milliseconds. */
const KEPT_MS = 60_000;

/**
 * Gives the function that opens AWS for a provider: with its own credentials, in one region, and only for the account
 * that it belongs to.
 */
export function providerClouds(
  db: Db,
  vault: Vault,
  settings: { callSeconds: number; serverImage: string; tollsOf?: ((place: string) => PayToll) | undefined },
) {
  const open = awsOpener(settings.callSeconds, settings.serverImage);
  const opened = new LRUCache<string, Promise<Aws>>({ max: 500, ttl: KEPT_MS });

  async function openProvider({ providerId, region }: Place, accountId: string): Promise<Aws> {
    const provider = await db.provider.findFirst({ where: { id: providerId, accountId } });
    if (!provider) throw permanent("The provider does not belong to this account");
    if (provider.cancelledAt) throw permanent("The provider was cancelled");
    // Providers of one AWS account share its rates.
    const awsAccount = provider.provisionedId ?? `provider-${providerId}`;
    return open(region, await credentialsOf(provider), settings.tollsOf?.(`${awsAccount}:${region}`));
  }

  async function credentialsOf(provider: {
    id: number;
    accountId: string;
    roleArn: string | null;
    externalId: string;
    credentials: Uint8Array | null;
  }): Promise<AwsCredentials> {
    const { id, accountId, roleArn, externalId, credentials } = provider;
    if (roleArn) return { roleArn, externalId };
    if (!credentials) throw permanent("The provider has no credentials");
    const place = { table: "providers", column: "credentials", id: String(id), account: accountId };
    return JSON.parse(await vault.open(credentials, place));
  }

  return (place: Place, accountId: string): Promise<Aws> => {
    const key = `${accountId} ${place.providerId} ${place.region}`;
    let aws = opened.get(key);
    if (!aws) {
      aws = openProvider(place, accountId);
      opened.set(key, aws);
      aws.catch(() => opened.delete(key));
    }
    return aws;
  };
}
