import type { z } from "zod";
import { settings } from "./settings.js";

const isCluster = (url: string) => /^rediss?\+cluster:/.test(url);

/** Whether the rows that prove an object's owner in the quiet period are still there at its end. */
const outlastsQuietPeriod = (days: number, seconds: number) => days === 0 || seconds <= days * 24 * 3600;

const schema = settings
  .refine((env) => !env.OIDC_ISSUER || (env.OIDC_CLIENT_ID && env.BASE_URL), {
    path: ["OIDC_ISSUER"],
    message: "requires OIDC_CLIENT_ID, and BASE_URL, to which the issuer redirects people.",
  })
  .refine((env) => env.SHARED_PROVIDER === "refused" || env.PROVIDERS_IN_OWN_ACCOUNT === "refused", {
    path: ["SHARED_PROVIDER"],
    message:
      "the value allowed requires PROVIDERS_IN_OWN_ACCOUNT=refused: a role in the workers' own AWS account could access resources of other accounts.",
  })
  .refine((env) => !isCluster(env.REDIS_URL) || /\{[^{}]+\}/.test(env.QUEUE_PREFIX), {
    path: ["QUEUE_PREFIX"],
    message: "requires braces with a cluster, such as {gantry}: they keep all keys on one node.",
  })
  .refine((env) => outlastsQuietPeriod(env.REQUEST_RETENTION_DAYS, env.DRIFT_QUIET_SECONDS), {
    path: ["DRIFT_QUIET_SECONDS"],
    message:
      "must not be longer than REQUEST_RETENTION_DAYS: a scan could report an object as an orphan because its Request was removed.",
  })
  .transform((env) => ({ ...env, AWS_RATE_SHARE: env.AWS_RATE_SHARE ?? (env.AWS_ENDPOINT_URL ? undefined : 0.8) }));

/** The names of all settings. */
export const SETTING_NAMES: readonly string[] = Object.keys(settings.shape);

/** The settings of a process, parsed. Times are in seconds. */
export type Env = z.infer<typeof schema>;

/**
 * Reads the settings from the environment. No other code reads it. An empty variable counts as one that is not set.
 *
 * @throws an Error that names every missing or malformed variable.
 */
export function readEnv(variables: NodeJS.ProcessEnv = process.env): Env {
  const parsed = schema.safeParse(Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== "")));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The environment variables are not valid. ${problems.join("; ")}`);
}
