import { partitionOfArn, regionIn } from "@gantry/aws-facts";
import type { Db, Provider, Vault } from "@gantry/db";
import { CREDENTIALS_KEPT_SECONDS } from "@gantry/resources";
import { LRUCache } from "lru-cache";
import { type Aws, type AwsCredentials, awsOpener, OWN_IDENTITY } from "./aws/clients.js";
import type { AcquireToken } from "./aws/rate-limit/rate-limited-client.js";
import { ownAccountReader } from "./aws/sts/own-account.js";
import type { CloudLocation } from "./engine/cloud-scope.js";
import { permanent } from "./engine/stage-errors.js";

const OWN_ACCOUNT =
  "The role is in the AWS account of Gantry's own workers, where roles may trust the workers for other reasons; use a role in another AWS account. Gantry's operator can allow this with PROVIDERS_IN_OWN_ACCOUNT=allowed";

const NOT_ALLOWED =
  "Gantry's operator does not allow shared providers; use a provider with credentials for your own AWS account. The operator can allow them with SHARED_PROVIDER=allowed";

const OTHER_IDENTITY =
  "The provider shares an AWS account that Gantry's workers no longer run in. Gantry's operator must give the workers credentials for that account";

/**
 * Returns the function that connects to AWS for a provider, with the provider's credentials, in one region. It throws
 * PermanentFailure if the account does not own the provider, or the provider was cancelled or has no credentials.
 *
 * @param settings `callSeconds`: the time limit of a call; `workerRegion`: the region whose AWS STS opens sessions of roles in its
 *   partition; `acquirerFor`: the rate limits of an AWS account and region
 */
export function connectProviders(
  db: Db,
  vault: Vault,
  settings: {
    callSeconds: number;
    serverImage: string;
    isCustomEndpoint?: boolean;
    workerRegion?: string | undefined;
    /** True if roles in the worker's own AWS account are usable: it then belongs to the installation's only user. */
    allowsOwnAccount?: boolean;
    /**
     * True if providers may share the AWS account of the worker's own identity; those that are already provisioned
     * continue to work without it.
     */
    allowsShared?: boolean;
    acquirerFor?: ((scope: string) => AcquireToken) | undefined;
  },
) {
  const open = awsOpener(settings.callSeconds, settings);
  const ownAccount = ownAccountReader(regionIn("aws", settings.workerRegion), settings.callSeconds);
  const opened = new LRUCache<string, Promise<Aws>>({ max: 500, ttl: CREDENTIALS_KEPT_SECONDS * 1000 });

  async function openProvider(location: CloudLocation, accountId: string): Promise<Aws> {
    const { providerId, region, withNextCredentials = false } = location;
    const provider = await db.provider.findFirst({ where: { id: providerId, accountId } });
    if (!provider) throw permanent("The provider does not belong to this account");
    if (provider.cancelledAt) throw permanent("The provider was cancelled");
    // Providers of one AWS account share its rates.
    const awsAccount = provider.provisionedId ?? `provider-${providerId}`;
    return open(
      region,
      await credentialsOf(provider, withNextCredentials),
      settings.acquirerFor?.(`${awsAccount}:${region}`),
    );
  }

  async function credentialsOf(provider: Provider, isNext: boolean): Promise<AwsCredentials> {
    const { id, accountId, externalId } = provider;
    const { roleArn, credentials, column } = isNext
      ? { roleArn: provider.nextRoleArn, credentials: provider.nextCredentials, column: "next_credentials" }
      : { roleArn: provider.roleArn, credentials: provider.credentials, column: "credentials" };
    if (provider.shared) {
      if (!settings.allowsShared && !provider.provisionedId) throw permanent(NOT_ALLOWED);
      // Objects would count as gone in another AWS account, and remain in their own.
      const own = provider.provisionedId && (await ownAccount());
      if (own && own !== provider.provisionedId) throw permanent(OTHER_IDENTITY);
      return OWN_IDENTITY;
    }
    if (roleArn) {
      if (!settings.allowsOwnAccount && roleArn.split(":")[4] === (await ownAccount())) throw permanent(OWN_ACCOUNT);
      const stsRegion = regionIn(partitionOfArn(roleArn) ?? "aws", settings.workerRegion);
      return { roleArn, externalId, sessionName: `gantry-${accountId}`, stsRegion };
    }
    if (!credentials) throw permanent("The provider has no credentials");
    const location = { table: "providers", column, id: String(id), account: accountId };
    return JSON.parse(await vault.decrypt(credentials, location));
  }

  return (location: CloudLocation, accountId: string): Promise<Aws> => {
    // They are used once, and the next ones after them may be others.
    if (location.withNextCredentials) return openProvider(location, accountId);
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
