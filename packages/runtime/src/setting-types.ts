import { isIP } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { parseRedisAddress } from "./redis-address.js";

const MASTER_KEY_FORM =
  "must be 32 bytes in base64, as `openssl rand -base64 32` prints them, or the ARN of a key of AWS KMS";
const KMS_KEY = /^arn:aws[\w-]*:kms:[\w-]+:\d{12}:key\/[\w-]+$/;

/** Keys, separated by commas: bytes in base64, or ARNs of keys of KMS. No message repeats a key. */
export const masterKeys = z.string().transform((text, context) => {
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

/** The number of proxies in front, or their addresses and blocks, separated by commas. */
export const proxies = z
  .string()
  .default("0")
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : text.split(",").map((part) => part.trim())))
  .refine(
    (proxies) => typeof proxies === "number" || proxies.every(isProxy),
    "must be a number, or a list of addresses and CIDR blocks",
  );

export const count = z.coerce.number().int().positive();

/** A duration above 0. The end of the setting's name is the unit. */
export const duration = z.coerce.number().positive();

/** A duration, or 0. The end of the setting's name is the unit. */
export const durationOrNone = z.coerce.number().nonnegative();

/** A number of days that is longer than idempotency keys are honoured, or 0 for no end. */
export const retentionDays = z.coerce
  .number()
  .int()
  .min(0)
  .refine((days) => days === 0 || days > 30, "must be 0 or at least 31");

const MALFORMED_PGBOUNCER = /[?&]pgbouncer=(?!(true|false)(&|$))/;

/** The address of a database. Its parameter `pgbouncer` says whether a pooler is in front. */
export const databaseUrl = z
  .string()
  .refine((url) => !MALFORMED_PGBOUNCER.test(url), "The parameter pgbouncer must be true or false.");

/** The address of Redis. No message repeats a password. */
export const redisUrl = z.string().superRefine((url, context) => {
  try {
    parseRedisAddress(url);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});

const isHttpsOrLocal = (url: string) => {
  const { protocol, hostname = "" } = URL.parse(url) ?? {};
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
};

/** An https URL. Plain http is accepted for this machine. */
export const httpsUrl = z.url().refine(isHttpsOrLocal, "must be an https URL");

/** Issuers of identity tokens, separated by commas, or `none`. A slash at an end is part of an issuer's name. */
export const issuers = z
  .string()
  .transform((text) => (text === "none" ? [] : text.split(",").map((part) => part.trim())))
  .pipe(z.array(httpsUrl));

/** A URL without a slash at its end. */
export const baseUrl = z.url().transform((url) => url.replace(/\/$/, ""));

/** The URL of a collector of traces. */
export const collector = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), "must be an http or https URL");

export const permission = z.enum(["refused", "allowed"]).default("refused");

/** `GROUP=ACCOUNT:ROLE`, separated by commas. Only people make someone an owner. */
export const groupRoles = z.string().transform((text, context) =>
  text.split(",").map((part) => {
    const [, group = "", account = "", role = ""] =
      /^(.+)=([\da-f-]{36}):(viewer|member|admin)$/i.exec(part.trim()) ?? [];
    if (!group)
      context.addIssue({
        code: "custom",
        message: `"${part.trim()}" must be GROUP=ACCOUNT:ROLE, where ROLE is viewer, member or admin`,
      });
    return { group, account: account.toLowerCase(), role: role.toLowerCase() as "viewer" | "member" | "admin" };
  }),
);

const block = z.union([z.cidrv4(), z.cidrv6()]);

/** Blocks of addresses, separated by commas. */
export const privateBlocks = z.string().transform((text, context) => {
  const blocks = text.split(",").map((part) => part.trim());
  for (const part of blocks) {
    if (!block.safeParse(part).success)
      context.addIssue({
        code: "custom",
        message: `"${part}" must be a CIDR block, such as 10.0.0.0/8; for this machine, add 127.0.0.0/8 and ::1/128`,
      });
  }
  return blocks;
});
