import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Db } from "@gantry/db";
import { openPort } from "./port.js";

/** How a token is made, if not as the issuer makes them. */
interface Making {
  /** Claims that differ; undefined leaves one out. */
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  /** Signs the first two parts; with the issuer's key by RS256 if absent. */
  signature?: (input: string) => string;
}

const MINUTE = 60;

const newKey = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Signs by RS256. */
function signatureBy(key: KeyObject) {
  return (input: string) =>
    sign("sha256", Buffer.from(input), { key, padding: constants.RSA_PKCS1_PADDING }).toString("base64url");
}

/**
 * An issuer on this machine that gives pipelines identity tokens, as GitHub Actions does: it serves its configuration
 * and its keys, and to jobs their tokens at `jobUrl`.
 */
export async function startPipelineIssuer() {
  const port = await openPort();
  let { publicKey, privateKey } = newKey();
  let kid = "1";
  const issuer = {
    url: port.url,
    /** The subject of the job that asks at `jobUrl`. */
    subject: "repo:acme/shop:ref:refs/heads/main",
    isAway: false,
    /** The issuer that its configuration names. */
    name: port.url,
    /** The paths that were requested. */
    requested: [] as string[],
    jobUrl: `${port.url}/job?api-version=2.0`,
    jobToken: "a secret of the job",
    publicKeyPem: () => publicKey.export({ type: "spki", format: "pem" }) as string,
    rotateKey: () => {
      ({ publicKey, privateKey } = newKey());
      kid = `${Number(kid) + 1}`;
    },
    /** An identity token of a subject, for an audience. */
    token(
      subject: string,
      audience: unknown = "http://gantry.test",
      { claims, header, signature }: Making = {},
    ): string {
      const now = Math.floor(Date.now() / 1000);
      const standard = { iss: port.url, sub: subject, aud: audience, iat: now, nbf: now, exp: now + 5 * MINUTE };
      const input = `${encoded({ alg: "RS256", typ: "JWT", kid, ...header })}.${encoded({ ...standard, ...claims })}`;
      return `${input}.${(signature ?? signatureBy(privateKey))(input)}`;
    },
    close: port.close,
  };
  port.serve((input, output) => {
    const { pathname, searchParams } = new URL(input.url ?? "", port.url);
    issuer.requested.push(pathname);
    const send = (status: number, body?: object) =>
      output.writeHead(status, { "Content-Type": "application/json" }).end(body && JSON.stringify(body));
    if (issuer.isAway) return send(503);
    if (pathname === "/.well-known/openid-configuration")
      return send(200, { issuer: issuer.name, jwks_uri: `${port.url}/keys` });
    if (pathname === "/keys")
      return send(200, { keys: [{ ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" }] });
    if (pathname !== "/job") return send(404);
    if (input.headers.authorization !== `bearer ${issuer.jobToken}`) return send(401);
    return send(200, { value: issuer.token(issuer.subject, searchParams.get("audience")) });
  });
  return issuer;
}

/** A signature by a key that no issuer publishes. */
export const foreignSignature = signatureBy(newKey().privateKey);

/** A signature as a shared secret makes it, with a text that everybody can read as the secret. */
export const hmacSignature = (secret: string) => (input: string) =>
  createHmac("sha256", secret).update(input).digest("base64url");

/** Lets a service token trust the issuer's job. Returns an identity token of the job. */
export async function trustPipeline(
  db: Db,
  { url, subject, token }: Awaited<ReturnType<typeof startPipelineIssuer>>,
  id: string,
): Promise<string> {
  const data = { trustedIssuer: url, trustedSubject: subject, trustedAudience: "http://gantry.test" };
  await db.token.update({ where: { id }, data });
  return token(subject);
}
