import { z } from "zod";
import {
  baseUrl,
  collector,
  count,
  databaseUrl,
  duration,
  durationOrNone,
  groupRoles,
  httpsUrl,
  issuers,
  masterKeys,
  permission,
  privateBlocks,
  proxies,
  redisUrl,
  retentionDays,
} from "./setting-types.js";

/** Describes one of the few settings that the README shows. */
const common = (description: string) => ({ description, isCommon: true });

/** Marks a setting whose value is a secret. The Helm chart reads it only from a Secret. */
const secret = { isSecret: true };

/**
 * Every setting by the section of docs/settings.md that shows it. `npm run settings` writes that page from this file.
 * The first sentence of a description says what the setting is. Links are relative to docs/ and belong in later
 * sentences.
 */
export const SECTIONS = {
  "PostgreSQL and Redis": {
    DATABASE_URL: databaseUrl
      .meta(
        common(
          "The PostgreSQL database (version 14 or newer), such as `postgresql://user:password@host/gantry`. For TLS and PgBouncer see [Stores](stores.md).",
        ),
      )
      .meta(secret),
    DATABASE_OWNER_URL: z
      .string()
      .optional()
      .describe(
        "The same database with the user who owns the tables. Migrations run as this user; without it, as the user of `DATABASE_URL`. Only the API needs it. See [Security](security.md).",
      )
      .meta(secret),
    DATABASE_DIRECT_URL: databaseUrl
      .optional()
      .describe(
        "PostgreSQL's own address, if `DATABASE_URL` is that of a pooler. Migrations use it without `DATABASE_OWNER_URL`, and the API to learn at once that a Request has ended. See [Stores](stores.md).",
      )
      .meta(secret),
    DATABASE_POOL_SIZE: count.default(16).describe("The maximum number of connections of one process to PostgreSQL."),
    REDIS_URL: redisUrl
      .default("redis://127.0.0.1:6379")
      .meta(
        common(
          "The Redis or Valkey server. Set its `maxmemory-policy` to `noeviction`. For TLS, Sentinel and Cluster see [Stores](stores.md).",
        ),
      )
      .meta(secret),
    QUEUE_PREFIX: z
      .string()
      .default("{gantry}")
      .describe("The prefix of every key in Redis. The braces keep all keys on one node of a cluster."),
  },

  Keys: {
    MASTER_KEY: masterKeys
      .meta(secret)
      .meta(
        common(
          "The key that encrypts secrets in the database. Use 32 bytes in base64 (`openssl rand -base64 32`) or the ARN of a key of AWS KMS. If you name several keys, separated by commas, the first one encrypts and all of them decrypt. See [Keys](keys.md).",
        ),
      ),
  },

  API: {
    HOST: z
      .string()
      .default("127.0.0.1")
      .meta(common("The address on which the API listens. The metrics of an API or a worker are served there too.")),
    PORT: z.coerce.number().int().min(0).max(65_535).default(3000).meta(common("The port on which the API listens.")),
    BASE_URL: baseUrl
      .optional()
      .meta(
        common(
          "The URL at which clients and new servers reach the API. Links in answers start with it; if it is not set, they start with the address of the call. Workers create servers that report only if it is set.",
        ),
      ),
    TRUST_PROXY: proxies.meta(
      common(
        "The proxies in front of the API whose `X-Forwarded-For` counts. Set their number, or their addresses and blocks, separated by commas.",
      ),
    ),
    AUTH_TOKEN_HEADERS: z
      .string()
      .default("X-Auth-Token")
      .describe("The headers, besides `Authorization: Bearer`, that may carry a token. Separate them by commas."),
    RATE_LIMIT_PER_MINUTE: count
      .default(3000)
      .describe(
        "The limit of calls of one user, or of all services of one account together. Reads and writes count separately.",
      ),
    ANONYMOUS_RATE_LIMIT_PER_MINUTE: count
      .default(60)
      .describe(
        "The limit of calls without a token from one IP address. Five times as many calls may carry an invalid token.",
      ),
    FAILED_SIGN_INS_PER_MINUTE: count
      .default(20)
      .describe("The limit of failed sign-ins with one e-mail address, from all IP addresses together."),
    CONSOLE_FILES: z
      .string()
      .default("apps/console/dist")
      .describe(
        "The folder of the built web console, which the API serves at `/console`; relative to Gantry's folder.",
      ),
    OPEN_REQUESTS_PER_ACCOUNT: count
      .default(1000)
      .describe("The maximum number of unfinished Requests of one account. Staff can change it for one account."),
  },

  "Signing in": {
    OIDC_ISSUER: httpsUrl
      .optional()
      .meta(
        common(
          "The OpenID Connect issuer at which people sign in. It must be an https URL, and needs `OIDC_CLIENT_ID` and `BASE_URL`. Without an issuer, people sign in with a password. See [Signing in](signing-in.md).",
        ),
      ),
    OIDC_CLIENT_ID: z.string().optional().describe("The id of Gantry's client at the issuer."),
    OIDC_CLIENT_SECRET: z
      .string()
      .optional()
      .describe("The secret of Gantry's client at the issuer. Only the API needs it.")
      .meta(secret),
    OIDC_SCOPES: z
      .string()
      .default("openid email profile")
      .describe("The scopes that Gantry asks the issuer for. Add the one that shows groups, such as `groups`."),
    OIDC_GROUPS_CLAIM: z
      .string()
      .default("groups")
      .describe("The claim that holds a person's groups, in the ID token or at the UserInfo endpoint."),
    OIDC_GROUP_ROLES: groupRoles
      .default([])
      .describe(
        "The roles that groups have, as `GROUP=ACCOUNT:ROLE`, separated by commas. A role is `viewer`, `member` or `admin`.",
      ),
    OIDC_TOKEN_HOURS: duration
      .max(24 * 90)
      .default(12)
      .describe(
        "The lifetime of a token from a sign-in. A change of a person's groups has no effect before the next one.",
      ),
    CONSOLE_SESSION_HOURS: duration
      .max(24 * 90)
      .default(12)
      .describe("The lifetime of a console session."),
    OIDC_MEMBERSHIP_DAYS: count
      .default(30)
      .describe("The time after a person's last sign-in at which memberships from groups end."),
    TRUSTED_ISSUERS: issuers
      .default(["https://token.actions.githubusercontent.com", "https://gitlab.com"])
      .describe(
        "The issuers whose identity tokens service tokens may trust, as https URLs, separated by commas. With `none`, there are none. See [Signing in](signing-in.md#pipelines).",
      ),
  },

  Workers: {
    WORKER_CONCURRENCY: count.default(50).meta(common("The number of Requests that one worker runs at the same time.")),
    LEASE_SECONDS: duration
      .default(3)
      .describe(
        "The time after which other workers take over the Requests of a silent worker. If it was changing something in AWS, the time limit of that call is added.",
      ),
    SWEEP_SECONDS: duration.default(5).describe("The time between two searches for lost jobs."),
    COMPLETED_JOBS: count
      .default(1000)
      .describe(
        "The number of jobs of finished and cancelled Requests that the queue keeps for dashboards. Workers remove older jobs when a job ends.",
      ),
    COMPLETED_JOBS_SECONDS: count
      .default(3600)
      .describe("The time for which the queue keeps jobs of finished and cancelled Requests."),
    FAILED_JOBS: count
      .default(5000)
      .describe("The number of jobs of failed Requests that the queue keeps for dashboards."),
    FAILED_JOBS_SECONDS: count
      .default(7 * 24 * 3600)
      .describe("The time for which the queue keeps jobs of failed Requests."),
  },

  AWS: {
    AWS_ENDPOINT_URL: z
      .string()
      .optional()
      .describe(
        "The endpoint of an AWS emulator, such as `http://127.0.0.1:4566`. For AWS itself, leave it unset. The AWS SDK reads it too. See [LocalStack](local.md#localstack).",
      ),
    AWS_REGION: z
      .string()
      .optional()
      .describe(
        "The region in which a worker asks AWS STS for sessions of roles: `us-east-1` if it is not set. The AWS SDK reads it too.",
      ),
    HOME_REGION: z
      .string()
      .default("us-east-1")
      .describe(
        "The region that new providers use for calls that concern an AWS account as a whole. Change it if an organization denies this region, or for another partition.",
      ),
    PROVIDERS_IN_OWN_ACCOUNT: permission.describe(
      "Whether a role in the workers' own AWS account may be a provider. Allow it only for an installation with a single user: the trust policies of roles in that account may admit the workers anyway.",
    ),
    SHARED_PROVIDER: permission.describe(
      "Whether a provider without credentials uses the workers' own AWS account, together with others. It excludes `PROVIDERS_IN_OWN_ACCOUNT`. See [Shared providers](aws-permissions.md#shared-providers).",
    ),
    SERVER_REPORTS: z
      .enum(["callback", "none"])
      .default("callback")
      .meta(
        common(
          "How Gantry learns that a new server is ready. With `callback`, the server reports to `BASE_URL`. With `none`, EC2's status checks count instead. See [Gantry on real AWS](aws.md#servers-without-reports).",
        ),
      ),
    SERVER_IMAGE_PARAMETER: z
      .string()
      .default("/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64")
      .describe(
        "The public parameter of AWS Systems Manager that names the image of new servers. The default is Amazon Linux 2023 for x86-64.",
      ),
    AWS_CALL_SECONDS: duration.default(10).describe("The time limit of one call to AWS."),
    AWS_RATE_SHARE: duration
      .optional()
      .describe(
        "The share of AWS's published call rates that Gantry uses. Without it, Gantry uses 0.8 of the rates of AWS itself, and calls an emulator without limits. See [Scaling](operations.md#scaling).",
      ),
    AWS_VISIBILITY_SECONDS: durationOrNone
      .default(60)
      .describe(
        "The longest delay until AWS shows a new object. Calls wait for it if AWS does not show an object. A Request that needs an older object fails at once.",
      ),
  },

  Drift: {
    DRIFT_SECONDS: durationOrNone
      .default(900)
      .describe("The time between two drift scans of a region. With 0, there are no scans."),
    DRIFT_CALLS: count
      .default(100)
      .describe(
        "The maximum number of calls to AWS that one scan of a provider's region makes. A role takes up to three.",
      ),
    DRIFT_QUIET_SECONDS: durationOrNone
      .default(300)
      .describe(
        "The quiet time after a record's last Request before a periodic scan compares it or its orphans can be removed. AWS may take this long to show a change. A scan that a user asks for waits only `AWS_VISIBILITY_SECONDS`. It must not be longer than `REQUEST_RETENTION_DAYS`.",
      ),
  },

  "Events, webhooks and audit": {
    EVENT_RETENTION_DAYS: count
      .default(30)
      .describe("The time for which events and ended deliveries of webhooks are kept. See [Events](events.md)."),
    WEBHOOK_PRIVATE_ADDRESSES: privateBlocks
      .default([])
      .describe(
        "The blocks of private addresses to which webhooks may go, such as `10.0.0.0/8`, separated by commas. If there are any, webhooks may use plain HTTP. Link-local addresses are never allowed. See [Webhooks](webhooks.md).",
      ),
    AUDIT_HEADS_FILE: z
      .string()
      .optional()
      .describe(
        "The file to which workers append the ends of the audit's chains. Choose a file to which the owner of the database cannot write. See [Security](security.md).",
      ),
  },

  Retention: {
    REQUEST_RETENTION_DAYS: retentionDays
      .default(90)
      .describe(
        "The time for which ended Requests, finished alerts and findings of regions without scans are kept. Set at least 31, so that no idempotency key names a removed Request, or 0 to keep them forever. See [Retention](operations.md#retention).",
      ),
  },

  Traces: {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector
      .optional()
      .describe(
        "The URL of the collector to which traces are sent by OTLP over HTTP, such as `http://127.0.0.1:4318`. Without it, nothing is recorded. See [Tracing](metrics.md#traces).",
      ),
    OTEL_EXPORTER_OTLP_HEADERS: z
      .string()
      .optional()
      .describe("The headers that authenticate Gantry at the collector, as `NAME=VALUE`, separated by commas.")
      .meta(secret),
    OTEL_SERVICE_NAME: z
      .string()
      .optional()
      .describe("The name of the service in traces: `gantry-api` and `gantry-worker` if it is not set."),
    OTEL_RESOURCE_ATTRIBUTES: z
      .string()
      .optional()
      .describe(
        "The attributes of the process in traces, as `NAME=VALUE`, separated by commas, such as `deployment.environment.name=production`.",
      ),
    OTEL_TRACES_SAMPLER: z
      .enum([
        "parentbased_always_on",
        "parentbased_always_off",
        "parentbased_traceidratio",
        "always_on",
        "always_off",
        "traceidratio",
      ])
      .default("parentbased_always_on")
      .describe(
        "The choice of the traces that are recorded. With `parentbased`, a caller's `traceparent` header decides for its trace.",
      ),
    OTEL_TRACES_SAMPLER_ARG: z.coerce
      .number()
      .min(0)
      .max(1)
      .default(1)
      .describe("The share of the traces that a sampler with `traceidratio` records."),
  },

  Processes: {
    METRICS_PORT: z.coerce
      .number()
      .int()
      .min(0)
      .max(65_535)
      .optional()
      .describe(
        "The port on which a process serves `/metrics`, `/health/live` and `/health/ready`, without authentication, at the address `HOST`. Without it, there are no metrics. Each process on a machine needs its own port. See [Metrics](metrics.md).",
      ),
    SHUTDOWN_SECONDS: duration
      .default(15)
      .describe("The time that a process has to stop. After that, it exits with code 1."),
    LOG_LEVEL: z
      .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
      .default("info")
      .describe("The least severe log lines that are written."),
  },
};

export const settings = z.object({
  ...SECTIONS["PostgreSQL and Redis"],
  ...SECTIONS.Keys,
  ...SECTIONS.API,
  ...SECTIONS["Signing in"],
  ...SECTIONS.Workers,
  ...SECTIONS.AWS,
  ...SECTIONS.Drift,
  ...SECTIONS["Events, webhooks and audit"],
  ...SECTIONS.Retention,
  ...SECTIONS.Traces,
  ...SECTIONS.Processes,
});
