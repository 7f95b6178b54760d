import type { AwsError } from "../aws-response.js";
import type { Call } from "../call.js";

const KEY = /^(.*\bTags?\.(?:member\.|Tag\.)?)(\d+)\.Key$/;
const LIMIT = 50;
/** RDS's own expression (RDS API reference, “Tag”); EC2 accepts any character, and the model of IAM has IAM's. */
const RDS_CHARACTERS = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

/** The codes of a wrong tag and of too many, by service. Sources: the API references and user guides, read in November 2026. */
const CODES: Record<string, { invalid: string; limit: string }> = {
  ec2: { invalid: "InvalidParameterValue", limit: "TagLimitExceeded" },
  rds: { invalid: "InvalidParameterValue", limit: "InvalidParameterValue" },
  iam: { invalid: "InvalidInput", limit: "LimitExceeded" },
  autoscaling: { invalid: "ValidationError", limit: "LimitExceeded" },
};

/** Returns the error of a call whose tags AWS refuses, or undefined. */
export function refuseTags({ service, params }: Call): AwsError | undefined {
  const codes = CODES[service];
  if (!codes) return undefined;
  const lists = new Map<string, string[]>();
  for (const [name, key] of Object.entries(params)) {
    const [, list, index] = KEY.exec(name) ?? [];
    if (list === undefined) continue;
    const message = problemOf(service, key, params[`${list}${index}.Value`] ?? "");
    if (message) return { code: codes.invalid, message };
    // IAM does not distinguish keys that differ only in case.
    const compared = service === "iam" ? key.toLowerCase() : key;
    const keys = lists.get(list) ?? [];
    if (keys.includes(compared)) return { code: codes.invalid, message: `Duplicate tag keys found: ${key}` };
    lists.set(list, [...keys, compared]);
    if (keys.length === LIMIT) {
      return { code: codes.limit, message: "The maximum number of Tags for a resource has been reached." };
    }
  }
  return undefined;
}

function problemOf(service: string, key: string, value: string): string | undefined {
  if (/^aws:/i.test(key)) return "Tag keys starting with 'aws:' are reserved for internal use";
  if (service === "rds" && /^(aws|rds):/i.test(key)) return `Tag keys must not begin with rds: - ${key}`;
  if (key.length === 0 || key.length > 128) return `Tag key exceeds the maximum length of 128 characters: ${key}`;
  if (value.length > 256) return `Tag value exceeds the maximum length of 256 characters: ${value}`;
  if (service === "rds" && !RDS_CHARACTERS.test(key + value)) return `Tag contains invalid characters: ${key}`;
  return undefined;
}
