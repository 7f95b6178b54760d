import { Vault } from "@gantry/db";
import { callbackToken } from "@gantry/requests";
import type { Env } from "@gantry/runtime";
import type { Aws } from "./aws/clients.js";
import { classifyAwsError } from "./aws/failures.js";
import { kinds } from "./aws/kinds.js";
import type { Engine } from "./engine/engine.js";
import { providerClouds } from "./provider-clouds.js";
import { workflows } from "./workflows/index.js";

/** The engine with all that it runs on AWS. */
export function awsEngine(env: Env, parts: Pick<Engine<Aws>, "db" | "bell" | "log" | "isStopping">): Engine<Aws> {
  const vault = new Vault(env.MASTER_KEY);
  return {
    ...parts,
    vault,
    workflows,
    kinds,
    connect: providerClouds(parts.db, vault, env.AWS_CALL_SECONDS, env.SERVER_IMAGE_PARAMETER),
    callbackOf: (requestId) =>
      env.BASE_URL === undefined
        ? undefined
        : {
            url: `${env.BASE_URL}/requests/${requestId}/callback`,
            token: callbackToken(env.MASTER_KEY, requestId),
          },
    classify: classifyAwsError,
    leaseSeconds: env.LEASE_SECONDS,
    callSeconds: env.AWS_CALL_SECONDS,
    visibilitySeconds: env.AWS_VISIBILITY_SECONDS,
  };
}
