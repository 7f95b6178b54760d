import { type InstallationKeys, Vault } from "@gantry/db";
import { callbackToken } from "@gantry/requests";
import { type Env, REMEDIES, whyServersCannotReport } from "@gantry/runtime";
import { classifyAwsError } from "./aws/aws-errors.js";
import type { Aws } from "./aws/clients.js";
import { kinds } from "./aws/kinds.js";
import type { TokenBuckets } from "./aws/rate-limit/token-buckets.js";
import type { Engine } from "./engine/engine.js";
import { permanent } from "./engine/stage-errors.js";
import { connectProviders } from "./provider-connections.js";
import { workflows } from "./workflows/index.js";

/** Returns the engine for AWS. Without `tokens` no rate limits apply. */
export function awsEngine(
  env: Env,
  {
    keys,
    tokens,
    ...dependencies
  }: Pick<Engine<Aws>, "db" | "jobs" | "log" | "isStopping"> & {
    keys: Pick<InstallationKeys, "callbacks">;
    tokens?: TokenBuckets | undefined;
  },
): Engine<Aws> {
  const vault = new Vault(env.MASTER_KEY);
  const callSeconds = env.AWS_CALL_SECONDS;
  const connection = {
    callSeconds,
    serverImage: env.SERVER_IMAGE_PARAMETER,
    isCustomEndpoint: Boolean(env.AWS_ENDPOINT_URL),
    workerRegion: env.AWS_REGION,
  };
  const allowsOwnAccount = env.PROVIDERS_IN_OWN_ACCOUNT === "allowed";
  const allowsShared = env.SHARED_PROVIDER === "allowed";
  const acquirerFor = tokens && ((scope: string) => tokens.acquirerFor(scope));
  return {
    ...dependencies,
    vault,
    workflows,
    kinds,
    connect: connectProviders(dependencies.db, vault, { ...connection, allowsOwnAccount, allowsShared, acquirerFor }),
    callbackOf: (requestId) => {
      if (env.SERVER_REPORTS === "none") return undefined;
      const problem = whyServersCannotReport(env);
      if (problem) throw permanent(problem);
      if (env.BASE_URL === undefined) throw permanent(`The workers' BASE_URL is not set. ${REMEDIES}`);
      return { url: `${env.BASE_URL}/requests/${requestId}/callback`, token: callbackToken(keys.callbacks, requestId) };
    },
    classify: classifyAwsError,
    leaseSeconds: env.LEASE_SECONDS,
    callSeconds,
    visibilitySeconds: env.AWS_VISIBILITY_SECONDS,
  };
}
