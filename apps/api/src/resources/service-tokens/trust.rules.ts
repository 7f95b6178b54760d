import { field } from "@gantry/resources";
import type { Env } from "@gantry/runtime";
import { z } from "zod";
import { invalid, missing } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { singleLine } from "../../http/input/names.js";
import type { Trust } from "../tokens/token.rules.js";

const PATH = "service_token.trusts";

export const trustsInput = strict({
  issuer: field(
    z.string().max(500),
    "https://token.actions.githubusercontent.com",
    "One of the issuers that the operator trusts (`TRUSTED_ISSUERS`)",
  ),
  subject: field(
    singleLine(500),
    "repo:acme/shop:ref:refs/heads/*",
    "The `sub` of the identity tokens. `*` stands for one or more characters except `:`, once between two `:`. What is before the first `*` must name the owner",
  ),
  audience: field(
    singleLine(500).optional(),
    "https://gantry.example.com",
    "The `aud` of the identity tokens, which the pipeline sets; the installation's `BASE_URL` if omitted, so that a token for another one is refused",
  ),
}).describe(
  "The identities that may use it, instead of a text that a pipeline would have to keep. It has no text then",
);

/**
 * The beginnings of subjects at issuers that everybody uses: those that name an owner, whose repositories only that owner
 * controls. Everybody can have `environment:production` there, and everybody may call a public workflow.
 */
const OWNED: Readonly<Record<string, { form: RegExp; example: string }>> = {
  "https://token.actions.githubusercontent.com": {
    form: /^(?:repo(?:sitory)?:[^:/*]+\/|repository_owner(?:_id)?:[^:*]+(?::|$))/,
    example: "repo:OWNER/",
  },
  "https://gitlab.com": { form: /^project_path:[^:/*]+\//, example: "project_path:GROUP/" },
};

/** At an issuer of one's own: what the subject is about, and whose it is. */
const ANY = { form: /^(?:[^*]+$|[^:/*]+[:/][^:/*]+[:/])/, example: "KIND:OWNER:" };

/** @throws 422 if the issuer is not one of the operator's, or if the subject would admit strangers */
export function trustOf(
  { issuer, subject, audience }: z.output<typeof trustsInput>,
  { TRUSTED_ISSUERS, BASE_URL }: Pick<Env, "TRUSTED_ISSUERS" | "BASE_URL">,
): Trust {
  if (!TRUSTED_ISSUERS.includes(issuer))
    throw invalid(
      `${PATH}.issuer`,
      `must be an issuer that the operator trusts: ${TRUSTED_ISSUERS.join(", ") || "none"}`,
    );
  const { form, example } = OWNED[issuer] ?? ANY;
  if (!form.test(subject))
    throw invalid(`${PATH}.subject`, `must begin with ${example} in full, before any *: others use this issuer too`);
  if (subject.split(":").some((part) => part.split("*").length > 2))
    throw invalid(`${PATH}.subject`, "must have at most one * between two colons");
  const trustedAudience = audience ?? BASE_URL;
  if (trustedAudience === undefined) throw missing(`${PATH}.audience`);
  return { trustedIssuer: issuer, trustedSubject: subject, trustedAudience };
}

/** Whether a pattern of a trust admits a subject. It takes time in proportion to their lengths. */
export function admits(pattern: string, subject: string): boolean {
  const parts = subject.split(":");
  const wanted = pattern.split(":");
  return wanted.length === parts.length && wanted.every((each, index) => admitsPart(each, parts[index] ?? ""));
}

function admitsPart(pattern: string, part: string): boolean {
  const [head = "", tail] = pattern.split("*");
  if (tail === undefined) return part === pattern;
  return part.length > head.length + tail.length && part.startsWith(head) && part.endsWith(tail);
}
