import { isIP } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

const MASTER_KEY_FORM =
  "must be 32 bytes in base64, as `openssl rand -base64 32` prints them, or the ARN of a key of AWS KMS";
const KMS_KEY = /^arn:aws[\w-]*:kms:[\w-]+:\d{12}:key\/[\w-]+$/;

/** Keys, divided by commas: of bytes, or ARNs of keys of KMS. No message repeats a key. */
const masterKeys = z.string().transform((text, context) => {
  const parts = text.split(",").map((part) => part.trim());
  const keys = parts.map((part) => (KMS_KEY.test(part) ? part : Buffer.from(part, "base64")));
  const problem = (position: number, message: string) =>
    context.addIssue({ code: "custom", message: `Key ${position + 1} of ${keys.length} ${message}.` });
  for (const [position, key] of keys.entries()) {
    const first = keys.findIndex((other) => isDeepStrictEqual(other, key));
    const isKey = typeof key === "string" || (key.length === 32 && /^[\w+/-]+=?$/.test(parts[position] ?? ""));
    if (!isKey) problem(position, MASTER_KEY_FORM);
    else if (first < position) problem(position, `is the same as key ${first + 1}`);
  }
  return keys;
});

const isProxy = (text: string) =>
  ["loopback", "linklocal", "uniquelocal"].includes(text) || isIP(text.split("/", 1)[0] ?? "") > 0;

/** True for https, and for this machine. */
const isSecure = (url: string) => {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
};

const count = z.coerce.number().int().positive();

/** `GROUP=ACCOUNT:ROLE`, divided by commas. Owners are named by people. */
const groupRoles = z.string().transform((text, context) =>
  text.split(",").map((part) => {
    const [, group = "", account = "", role = ""] =
      /^(.+)=([\da-f-]{36}):(viewer|member|admin)$/i.exec(part.trim()) ?? [];
    if (!group)
      context.addIssue({
        code: "custom",
        message: `"${part.trim()}" must be GROUP=ACCOUNT:ROLE, a role being viewer, member or admin`,
      });
    return { group, account: account.toLowerCase(), role: role.toLowerCase() as "viewer" | "member" | "admin" };
  }),
);

const block = z.union([z.cidrv4(), z.cidrv6()]);

/** Blocks, divided by commas. Versions before took `refused` and `allowed`; the latter opened this machine as well. */
const privateBlocks = z.string().transform((text, context) => {
  const blocks = text === "refused" ? [] : text.split(",").map((part) => part.trim());
  for (const part of blocks) {
    if (!block.safeParse(part).success)
      context.addIssue({
        code: "custom",
        message: `"${part}" must be a block, such as 10.0.0.0/8; add 127.0.0.0/8 and ::1/128 for this machine`,
      });
  }
  return blocks;
});

const settings = z.object({
  DATABASE_URL: z.string().min(1),
  /** The database with the name of the tables' owner, as whom migrations run; DATABASE_URL where absent. */
  DATABASE_OWNER_URL: z.string().min(1).optional(),
  DATABASE_POOL_SIZE: count.default(16),
  REDIS_URL: z.string().min(1).default("redis://127.0.0.1:6379"),
  /** The prefix of every key in Redis; the braces keep the keys on one node of a cluster. */
  QUEUE_PREFIX: z.string().default("{gantry}"),
  /** The first key seals secrets, all of them open. */
  MASTER_KEY: masterKeys,
  HOST: z.string().default("127.0.0.1"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  /** The address of the API for clients and new servers. */
  BASE_URL: z
    .url()
    .transform((url) => url.replace(/\/$/, ""))
    .optional(),
  /** `callback`: a new server reports to BASE_URL that it is set up; `none`: EC2's status checks count instead. */
  SERVER_REPORTS: z.enum(["callback", "none"]).default("callback"),
  /** The endpoint that stands in for AWS; the SDK reads the variable itself. Absent or empty for AWS itself. */
  AWS_ENDPOINT_URL: z.string().optional(),
  AUTH_TOKEN_HEADERS: z.string().default("X-Auth-Token"),
  RATE_LIMIT_PER_MINUTE: count.default(3000),
  /** The limit of failed sign-ins with one e-mail, from whatever address. */
  FAILED_SIGN_INS_PER_MINUTE: count.default(20),
  /** The proxies in front whose `X-Forwarded-For` counts: how many there are, or their addresses and blocks, by commas. */
  TRUST_PROXY: z
    .string()
    .default("0")
    .transform((text) => (/^\d+$/.test(text) ? Number(text) : text.split(",").map((part) => part.trim())))
    .refine(
      (proxies) => typeof proxies === "number" || proxies.every(isProxy),
      "must be a number, addresses or blocks",
    ),
  /** The issuer at which people sign in by OpenID Connect; none where absent. */
  OIDC_ISSUER: z.url().refine(isSecure, "must be https").optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_SCOPES: z.string().default("openid email profile"),
  /** The claim with a person's groups, and the roles that they give. */
  OIDC_GROUPS_CLAIM: z.string().default("groups"),
  OIDC_GROUP_ROLES: groupRoles.default([]),
  /** The life of a token from a sign-in: until then changed groups change nothing. */
  OIDC_TOKEN_HOURS: z.coerce
    .number()
    .positive()
    .max(24 * 90)
    .default(12),
  /** The time after the last sign-in at the issuer after which a user's memberships from groups end. */
  OIDC_MEMBERSHIP_DAYS: count.default(30),
  /** The limit of each IP address without a token; five times as many inputs may carry a bad token. */
  ANONYMOUS_RATE_LIMIT_PER_MINUTE: count.default(60),
  /** The Requests of an account that may be open at once, where its record names no other number. */
  OPEN_REQUESTS_PER_ACCOUNT: count.default(1000),
  EVENT_RETENTION_DAYS: count.default(30),
  /** The blocks of private addresses to which webhooks may go; plain HTTP is allowed if there are any. */
  WEBHOOK_PRIVATE_ADDRESSES: privateBlocks.default([]),
  WORKER_CONCURRENCY: count.default(50),
  /** How many jobs of ended Requests the queue keeps for dashboards, and how long; workers that end a job remove older ones. */
  COMPLETED_JOBS: count.default(1000),
  COMPLETED_JOBS_SECONDS: count.default(3600),
  FAILED_JOBS: count.default(5000),
  FAILED_JOBS_SECONDS: count.default(7 * 24 * 3600),
  SWEEP_SECONDS: z.coerce.number().positive().default(5),
  /** The silence of a worker after which others take its Requests over, if it was not in the middle of a change. */
  LEASE_SECONDS: z.coerce.number().positive().default(6),
  AWS_CALL_SECONDS: z.coerce.number().positive().default(10),
  /** The usable share of AWS's published call rates; more than 1 where AWS has raised the account's rates. */
  AWS_RATE_SHARE: z.coerce.number().positive().default(0.8),
  /** The longest that AWS may take to show what it made: by its developer guide up to five minutes, mostly seconds. */
  AWS_VISIBILITY_SECONDS: z.coerce.number().nonnegative().default(60),
  /** The worker's own region, in which it asks AWS STS for sessions; the AWS SDK reads the same variable. */
  AWS_REGION: z.string().min(1).optional(),
  /** Whether a provider may be a role in the workers' own AWS account, whose roles may trust the workers anyway. */
  PROVIDERS_IN_OWN_ACCOUNT: z.enum(["refused", "allowed"]).default("refused"),
  /** Whether a provider without credentials uses the AWS account of the workers' own identity, beside other accounts' providers. */
  SHARED_PROVIDER: z.enum(["refused", "allowed"]).default("refused"),
  /** The region for calls that concern an AWS account as a whole, for new providers in its partition. */
  HOME_REGION: z.string().min(1).default("us-east-1"),
  /** The time between two drift scans of a region; 0 for no scans. */
  DRIFT_SECONDS: z.coerce.number().nonnegative().default(900),
  /** The greatest number of calls of one scan of a region. */
  DRIFT_CALLS: count.default(100),
  /** The age that a Request's end needs before its record is compared: AWS may show a change that late. */
  DRIFT_QUIET_SECONDS: z.coerce.number().nonnegative().default(300),
  /** The public parameter of AWS Systems Manager that names the image of new servers. */
  SERVER_IMAGE_PARAMETER: z
    .string()
    .min(1)
    .default("/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"),
  /** The file to which workers append the ends of the audit's chains; best where the database's owner cannot write. */
  AUDIT_HEADS_FILE: z.string().min(1).optional(),
  SHUTDOWN_SECONDS: z.coerce.number().positive().default(15),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
});

const schema = settings
  .refine((env) => !env.OIDC_ISSUER || (env.OIDC_CLIENT_ID && env.BASE_URL), {
    path: ["OIDC_ISSUER"],
    message: "Signing in at an issuer needs OIDC_CLIENT_ID, and BASE_URL, to which the issuer sends people back.",
  })
  .refine((env) => env.SHARED_PROVIDER === "refused" || env.PROVIDERS_IN_OWN_ACCOUNT === "refused", {
    path: ["SHARED_PROVIDER"],
    message:
      "Shared providers need PROVIDERS_IN_OWN_ACCOUNT=refused: a role in the workers' own AWS account would reach what others have there.",
  });

/** The names of all settings. */
export const SETTING_NAMES: readonly string[] = Object.keys(settings.shape);

/** The settings of a process, parsed. Times are in seconds. */
export type Env = z.infer<typeof schema>;

/**
 * Reads the settings from the environment. No other code reads it.
 *
 * @throws an Error that names every missing or malformed variable.
 */
export function readEnv(variables: NodeJS.ProcessEnv = process.env): Env {
  const parsed = schema.safeParse(variables);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The environment is not complete. ${problems.join("; ")}`);
}
