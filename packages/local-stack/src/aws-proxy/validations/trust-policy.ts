/** The caller that assumes a role, and the external id that it passes. */
export interface RoleCaller {
  /** As STS names it: `arn:aws:iam::123456789012:user/a` or `arn:aws:sts::123456789012:assumed-role/a/session`. */
  arn: string;
  externalId: string | undefined;
}

interface Statement {
  Effect: "Allow" | "Deny";
  Action: string | string[];
  Principal: "*" | { AWS?: string | string[] };
  Condition?: Record<string, Record<string, string | string[]>>;
}

const ACTION = "sts:AssumeRole";

/**
 * Returns whether a role's trust policy lets a caller assume it. Throws an Error for a condition that the emulated AWS
 * cannot evaluate.
 */
export function isTrusted(document: string, caller: RoleCaller): boolean {
  const { Statement } = JSON.parse(document) as { Statement: Statement | Statement[] };
  const matching = asList(Statement).filter((statement) => applies(statement, caller));
  return matching.some(({ Effect }) => Effect === "Allow") && !matching.some(({ Effect }) => Effect === "Deny");
}

function applies({ Action, Principal, Condition = {} }: Statement, caller: RoleCaller): boolean {
  const principals = Principal === "*" ? ["*"] : asList(Principal.AWS ?? []);
  return (
    asList(Action).some((action) => wildcard(action).test(ACTION)) &&
    principals.some((principal) => names(principal, caller.arn)) &&
    Object.entries(Condition).every(([operator, keys]) => {
      return Object.entries(keys).every(([key, values]) => meets(operator, key, asList(values), caller));
    })
  );
}

/** A principal is everyone, an account as a whole, a user, a role with all its sessions, or one session. */
function names(principal: string, arn: string): boolean {
  const [, , , , account = "", identity = ""] = arn.split(":");
  if (["*", arn, account, `arn:aws:iam::${account}:root`].includes(principal)) return true;
  const [kind, role] = identity.split("/");
  const isRole = kind === "assumed-role" && principal.startsWith(`arn:aws:iam::${account}:role/`);
  return isRole && principal.split("/").at(-1) === role;
}

function meets(operator: string, key: string, values: string[], { externalId }: RoleCaller): boolean {
  const isEqual = externalId !== undefined && values.includes(externalId);
  if (key === "sts:ExternalId" && operator === "StringEquals") return isEqual;
  if (key === "sts:ExternalId" && operator === "StringNotEquals") return !isEqual;
  if (key === "sts:ExternalId" && operator === "StringLike")
    return externalId !== undefined && values.some((value) => wildcard(value, "").test(externalId));
  throw new Error(`The emulated AWS cannot evaluate the condition ${operator} of ${key} in a trust policy.`);
}

function wildcard(pattern: string, flags = "i"): RegExp {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`, flags);
}

function asList<T>(value: T | T[]): T[] {
  return Array.isArray(value) ? value : [value];
}
