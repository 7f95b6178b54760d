import type { Log } from "@gantry/runtime";
import * as jose from "jose";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { HttpError } from "../errors/errors.js";

/** What an issuer vouches for: the pipeline that holds an identity token. */
export interface JobIdentity {
  issuer: string;
  subject: string;
  audiences: string[];
}

const TIMEOUT_MS = 5000;
const DISCOVERY_MS = 3_600_000;

/** Signatures with a private key. A shared secret would be no proof: anyone can read the public keys. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "Ed25519",
  "EdDSA",
];

const discovered = z.object({ issuer: z.string(), jwks_uri: z.url() });

const claimsOf = z.object({
  sub: z.string().regex(/^\P{Control}{1,500}$/u),
  aud: z.union([z.string(), z.array(z.string())]).transform((aud) => [aud].flat()),
});

/** The issuers that the operator trusts, with their public keys, which this process fetches once and keeps. */
export class TrustedIssuers {
  private readonly keys = new LRUCache<string, jose.RemoteJWKSet>({
    max: 100,
    ttl: DISCOVERY_MS,
    allowStaleOnFetchRejection: true,
    fetchMethod: (issuer) => discover(issuer),
  });

  constructor(
    private readonly urls: readonly string[],
    private readonly log: Log,
  ) {}

  /**
   * Verifies an identity token: its issuer, signature and time. The caller compares its subject and audience.
   *
   * @throws 401 that says what is wrong, 503 if the issuer's keys cannot be fetched
   */
  async verify(identityToken: string): Promise<JobIdentity> {
    const issuer = issuerOf(identityToken);
    if (!this.urls.includes(issuer))
      throw refusedIdentity(
        `its issuer is "${shown(issuer)}"; this installation trusts ${this.urls.join(", ") || "no issuer"}`,
      );
    const key: jose.JWTVerifyGetKey = (header, token) => this.keyOf(issuer, header, token);
    const options = { issuer, algorithms: ALGORITHMS, requiredClaims: ["exp", "sub", "aud"] };
    const { payload } = await jose.jwtVerify(identityToken, key, options).catch((error: unknown) => {
      throw error instanceof jose.errors.JOSEError ? refusedIdentity(reasonOf(error, issuer)) : error;
    });
    const claims = claimsOf.safeParse(payload);
    if (!claims.success) throw refusedIdentity("its `sub` or `aud` is not a text");
    return { issuer, subject: claims.data.sub, audiences: claims.data.aud };
  }

  private async keyOf(
    issuer: string,
    header: jose.JWSHeaderParameters,
    token: jose.FlattenedJWSInput,
  ): Promise<jose.CryptoKey> {
    try {
      const keys = await this.keys.fetch(issuer);
      if (!keys) throw new Error("The issuer's keys were not fetched.");
      return await keys(header, token);
    } catch (error) {
      const { JWKSNoMatchingKey, JWKSMultipleMatchingKeys } = jose.errors;
      if (error instanceof JWKSNoMatchingKey || error instanceof JWKSMultipleMatchingKeys) throw error;
      this.log.warn({ err: error, issuer }, "issuer unreachable");
      const sentence = `the issuer ${issuer} does not respond; try again in a moment`;
      throw new HttpError(503, "issuer_unavailable", [sentence], { headers: { "Retry-After": "5" } });
    }
  }
}

/** A 401 for an identity token, recorded as a failed sign-in. @param identity issuer and subject, once they are proven */
export function refusedIdentity(reason: string, identity?: JobIdentity): HttpError {
  return new HttpError(401, "unauthorized", [`the identity token is refused: ${reason}`], {
    failedSignIn: identity ? `${identity.issuer} ${identity.subject}` : "identity token",
  });
}

function issuerOf(identityToken: string): string {
  try {
    return String(jose.decodeJwt(identityToken).iss);
  } catch {
    throw refusedIdentity("it is not a JWT; send the one that the pipeline gives to the job");
  }
}

function reasonOf(error: jose.errors.JOSEError, issuer: string): string {
  const { JWTExpired, JWTClaimValidationFailed, JOSEAlgNotAllowed } = jose.errors;
  if (error instanceof JWTExpired) {
    const { exp } = error.payload;
    return `it expired${exp ? ` at ${new Date(exp * 1000).toISOString()}` : ""}; request a new one in the job`;
  }
  if (error instanceof JWTClaimValidationFailed)
    return error.claim === "nbf"
      ? "it is not valid yet; compare the clocks"
      : `its \`${error.claim}\` is missing or wrong`;
  if (error instanceof JOSEAlgNotAllowed)
    return `it must be signed with a private key of ${issuer}, by ${ALGORITHMS.join(", ")}`;
  return `it is not signed with a key of ${issuer}`;
}

/** Texts of a token that is not verified. */
function shown(text: string): string {
  return text.replace(/\p{Control}/gu, " ").slice(0, 200);
}

async function discover(issuer: string): Promise<jose.RemoteJWKSet> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}.`);
  const { issuer: name, jwks_uri } = discovered.parse(await answer.json());
  if (name !== issuer) throw new Error(`${url} is the configuration of ${name}.`);
  const keysUrl = new URL(jwks_uri);
  if (keysUrl.protocol !== "https:" && new URL(issuer).protocol === "https:")
    throw new Error(`${url} names keys without https.`);
  return jose.createRemoteJWKSet(keysUrl, { timeoutDuration: TIMEOUT_MS });
}
