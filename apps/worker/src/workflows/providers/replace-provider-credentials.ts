import { callerAccount } from "../../aws/checks/caller.js";
import { notYet, permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { homeRegionOf } from "./home-region.js";
import { requireExternalId } from "./require-external-id.js";

/**
 * Replaces the credentials of a provider by others of the same AWS account, once AWS has accepted them. When the Request
 * ends, no worker uses the old ones, which their owner may then delete.
 */
export const replaceProviderCredentials = awsWorkflow({
  type: "replace_provider_credentials",
  stages: {
    "verify-credentials": async ({ resourceId, db, cloud }) => {
      const id = Number(resourceId);
      const { provisionedId, nextRoleArn, externalId } = await db.provider.findUniqueOrThrow({ where: { id } });
      const aws = cloud({ providerId: id, region: await homeRegionOf(db, id), withNextCredentials: true });
      if (nextRoleArn) await requireExternalId(aws, nextRoleArn, externalId);
      const account = await aws.call(callerAccount);
      if (account !== provisionedId)
        throw permanent(
          `The new credentials belong to the AWS account ${account}, and the provider to ${provisionedId}; add another provider for the AWS account ${account}`,
        );
    },

    "replace-credentials": async ({ resourceId, request, db, vault }) => {
      const id = Number(resourceId);
      const { nextCredentials, nextRoleArn } = await db.provider.findUniqueOrThrow({ where: { id } });
      // A run before this one may have ended after the change.
      if (!nextCredentials && !nextRoleArn) return;
      const at = { table: "providers", id: String(id), account: request.accountId };
      const secret = nextCredentials && (await vault.decrypt(nextCredentials, { ...at, column: "next_credentials" }));
      const credentials = secret && (await vault.encrypt(secret, { ...at, column: "credentials" }));
      // By the database's clock, since the next stage may run on another worker.
      await db.$executeRaw`
        UPDATE providers SET credentials = ${credentials || null}::bytea, role_arn = ${nextRoleArn}, next_credentials = NULL,
          next_role_arn = NULL, credentials_replaced_at = now(), updated_at = now()
        WHERE id = ${id}`;
    },

    "end-old-sessions": async ({ resourceId, input, db }) => {
      const [row] = await db.$queryRaw<{ seconds: number | null }[]>`
        SELECT ${input.settleSeconds}::float8 - extract(epoch FROM now() - credentials_replaced_at)::float8 AS seconds
        FROM providers WHERE id = ${Number(resourceId)}`;
      const seconds = row?.seconds ?? 0;
      if (seconds > 0) throw notYet("every worker to use the new credentials", { retryInSeconds: seconds });
    },
  },
  discard: async ({ resourceId, db }) => {
    const data = { nextCredentials: null, nextRoleArn: null };
    await db.provider.update({ where: { id: Number(resourceId) }, data });
  },
});
