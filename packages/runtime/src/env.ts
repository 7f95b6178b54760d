import { z } from "zod";

const DEVELOPMENT_MASTER_KEY_HINT = "MASTER_KEY must be 32 bytes in base64, as `openssl rand -base64 32` prints them.";

const base64Of32Bytes = z
  .string()
  .transform((text) => Buffer.from(text, "base64"))
  .refine((bytes) => bytes.length === 32, DEVELOPMENT_MASTER_KEY_HINT);

const count = z.coerce.number().int().positive();

const settings = z.object({
  DATABASE_URL: z.string().min(1),
  DATABASE_POOL_SIZE: count.default(16),
  REDIS_URL: z.string().min(1).default("redis://127.0.0.1:6379"),
  /** What every key in Redis starts with; the braces keep them on one node of a cluster. */
  QUEUE_PREFIX: z.string().default("{gantry}"),
  MASTER_KEY: base64Of32Bytes,
  HOST: z.string().default("127.0.0.1"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  /** The address under which clients and new servers reach the API. */
  BASE_URL: z
    .url()
    .transform((url) => url.replace(/\/$/, ""))
    .optional(),
  AUTH_TOKEN_HEADERS: z.string().default("X-Auth-Token"),
  RATE_LIMIT_PER_MINUTE: count.default(3000),
  /** For each address without a token; bad tokens may come five times as often. */
  ANONYMOUS_RATE_LIMIT_PER_MINUTE: count.default(60),
  WORKER_CONCURRENCY: count.default(50),
  SWEEP_SECONDS: z.coerce.number().positive().default(5),
  LEASE_SECONDS: z.coerce.number().positive().default(15),
  AWS_CALL_SECONDS: z.coerce.number().positive().default(10),
  /** The part of AWS's published call rates that may be used; more than 1 where AWS has raised them for the account. */
  AWS_RATE_SHARE: z.coerce.number().positive().default(0.8),
  AWS_VISIBILITY_SECONDS: z.coerce.number().nonnegative().default(5),
  /** How often AWS is compared with the records; 0 is never. */
  DRIFT_SECONDS: z.coerce.number().nonnegative().default(900),
  /** The most calls for that in one region of a provider each time. */
  DRIFT_CALLS: count.default(100),
  /** How long no Request may have worked on a record before it is compared: AWS may take so long to show what was made. */
  DRIFT_QUIET_SECONDS: z.coerce.number().nonnegative().default(300),
  /** The public parameter of AWS's Systems Manager that names the image of new servers. */
  SERVER_IMAGE_PARAMETER: z
    .string()
    .min(1)
    .default("/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"),
  SHUTDOWN_SECONDS: z.coerce.number().positive().default(15),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
});

const schema = settings.refine((env) => env.LEASE_SECONDS > env.AWS_CALL_SECONDS, {
  path: ["LEASE_SECONDS"],
  message: "A lease must be longer than AWS_CALL_SECONDS, or no call could be made under it.",
});

/** The settings of a process, parsed. Times are in seconds. */
export type Env = z.infer<typeof schema>;

/**
 * Reads the settings from the environment; the only place that does.
 *
 * @throws an Error that names every missing or malformed variable.
 */
export function readEnv(variables: NodeJS.ProcessEnv = process.env): Env {
  const parsed = schema.safeParse(variables);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The environment is not complete. ${problems.join("; ")}`);
}
