import type { Db, Vault } from "@gantry/db";
import { LRUCache } from "lru-cache";
import { type Aws, type AwsCredentials, awsOpener } from "./aws/clients.js";
import type { AcquireToken } from "./aws/rate-limit/rate-limited-client.js";
import type { CloudLocation } from "./engine/cloud-scope.js";
import { permanent } from "./engine/stage-errors.js";

/** How long the credentials of a provider are kept after they were last read, in milliseconds. */
const CACHE_MS = 60_000;

/**
 * Gives the function that opens AWS for a provider: with its own credentials, in one region, and only for the account
 * that it belongs to.
 */
export function connectProviders(
  db: Db,
  vault: Vault,
  settings: { callSeconds: number; serverImage: string; rateLimitsFor?: ((place: string) => AcquireToken) | undefined },
) {
  const open = awsOpener(settings.callSeconds, settings.serverImage);
  const opened = new LRUCache<string, Promise<Aws>>({ max: 500, ttl: CACHE_MS });

  async function openProvider({ providerId, region }: CloudLocation, accountId: string): Promise<Aws> {
    const provider = await db.provider.findFirst({ where: { id: providerId, accountId } });
    if (!provider) throw permanent("The provider does not belong to this account");
    if (provider.cancelledAt) throw permanent("The provider was cancelled");
    // Providers of one AWS account share its rates.
    const awsAccount = provider.provisionedId ?? `provider-${providerId}`;
    return open(region, await credentialsOf(provider), settings.rateLimitsFor?.(`${awsAccount}:${region}`));
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

  return (location: CloudLocation, accountId: string): Promise<Aws> => {
    const key = `${accountId} ${location.providerId} ${location.region}`;
    let aws = opened.get(key);
    if (!aws) {
      aws = openProvider(location, accountId);
      opened.set(key, aws);
      aws.catch(() => opened.delete(key));
    }
    return aws;
  };
}
