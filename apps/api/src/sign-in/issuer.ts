import type { Env, Log } from "@gantry/runtime";
import * as oidc from "openid-client";
import { forbidden, HttpError } from "../http/errors/errors.js";
import { nameText } from "../http/input/names.js";

/** A person as the issuer knows it. */
export interface Person {
  issuer: string;
  subject: string;
  email: string;
  name: string;
  groups: string[];
}

/** What a sign-in keeps between its two calls. */
export interface Challenge {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** The issuer of OpenID Connect that the settings name, and the client with which people sign in there. */
export class Issuer {
  private discovered: Promise<oidc.Configuration> | undefined;

  constructor(
    private readonly env: Env & { OIDC_ISSUER: string; OIDC_CLIENT_ID: string },
    private readonly redirectUri: string,
    private readonly log: Log,
  ) {}

  /** The URL at the issuer where a person signs in, and the values with which its answer is checked. */
  async challenge(): Promise<{ url: URL; challenge: Challenge }> {
    const codeVerifier = oidc.randomPKCECodeVerifier();
    const challenge = { state: oidc.randomState(), nonce: oidc.randomNonce(), codeVerifier };
    const url = oidc.buildAuthorizationUrl(await this.configuration(), {
      redirect_uri: this.redirectUri,
      scope: this.env.OIDC_SCOPES,
      state: challenge.state,
      nonce: challenge.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
    });
    return { url, challenge };
  }

  /**
   * The person that the issuer's answer identifies.
   *
   * @param query the query of the answer, with its `?`
   * @throws 401 if the answer is not one to the challenge, 403 if the issuer has not verified an e-mail
   */
  async personOf(query: string, { state, nonce, codeVerifier }: Challenge): Promise<Person> {
    const configuration = await this.configuration();
    const claims = await this.claimsOf(configuration, new URL(query, this.redirectUri), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    }).catch((error: Error) => {
      this.log.info({ err: error }, "sign-in refused");
      throw refusal(error);
    });
    const { sub, email, email_verified: isVerified, name } = claims;
    // Invitations go to an e-mail: one that is not verified could be another person's.
    if (typeof email !== "string" || isVerified !== true)
      throw forbidden("the issuer has not verified your e-mail address");
    const groups = claims[this.env.OIDC_GROUPS_CLAIM];
    return {
      issuer: configuration.serverMetadata().issuer,
      subject: String(sub),
      email: email.toLowerCase(),
      name: nameText.safeParse(name).data ?? email,
      groups: Array.isArray(groups) ? groups.map(String) : [],
    };
  }

  /** The claims of the ID token, and of the issuer's record if it has one. */
  private async claimsOf(
    configuration: oidc.Configuration,
    answer: URL,
    checks: oidc.AuthorizationCodeGrantChecks,
  ): Promise<Record<string, unknown>> {
    const tokens = await oidc.authorizationCodeGrant(configuration, answer, checks);
    const claims = tokens.claims();
    if (!claims) throw new Error("The issuer's response has no ID token.");
    if (!configuration.serverMetadata().userinfo_endpoint) return claims;
    return { ...claims, ...(await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)) };
  }

  /** The issuer's metadata, requested once, and again if that failed. */
  private configuration(): Promise<oidc.Configuration> {
    const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = this.env;
    const url = new URL(OIDC_ISSUER);
    const options = url.protocol === "http:" ? { execute: [oidc.allowInsecureRequests] } : {};
    this.discovered ??= oidc
      .discovery(url, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, undefined, options)
      .catch((error: Error) => {
        this.discovered = undefined;
        this.log.warn({ err: error, issuer: OIDC_ISSUER }, "issuer unreachable");
        throw new HttpError(503, "issuer_unavailable", ["the issuer does not respond; try again in a moment"]);
      });
    return this.discovered;
  }
}

function refusal(error: Error): HttpError {
  if (error instanceof oidc.AuthorizationResponseError)
    return forbidden(`the issuer rejected the sign-in: ${error.error}`);
  const sentences = ["the issuer's response is invalid or was already used; sign in again"];
  return new HttpError(401, "unauthorized", sentences, { failedSignIn: "OpenID Connect" });
}
