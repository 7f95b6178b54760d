import type { Token, Tx } from "@gantry/db";
import { field, token } from "@gantry/resources";
import { type JobIdentity, refusedIdentity } from "../../http/auth/trusted-issuers.js";
import { endpoint } from "../../http/endpoint.js";
import { HttpError } from "../../http/errors/errors.js";
import { secretText, strict } from "../../http/input/input.js";
import { uuidOf } from "../../http/input/references.js";
import { shownOnce } from "../../http/reply/reply.js";
import { exchangeToken } from "../tokens/token.rules.js";
import { admits } from "./trust.rules.js";

export const identityTokenEndpoint = endpoint({
  route: "POST /sign-in/identity-token",
  operation: "exchangeIdentityToken",
  summary:
    "Exchange the identity token of a pipeline for a token of the service that trusts it, for an hour at most; it can be exchanged again until it expires",
  access: "anyone",
  transaction: true,
  body: strict({
    identity_token: field(
      secretText({ min: 1, max: 16_000 }),
      "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJyZXBvOmFjbWUvc2hvcCJ9.c2lnbmF0dXJl",
      "The signed JWT of OpenID Connect that the pipeline's issuer gives to the job",
    ),
    service_token: uuidOf("service-tokens")
      .optional()
      .describe("The service token, by its id or its URL; required if several trust the identity"),
  }),
  reply: { ...shownOnce("api_token", { token: token.record }, 201), refusals: [409] },
  prepare: async ({ body, caller, address, throttle, trustedIssuers }) => {
    if (caller) throttle.take("anyone", address);
    return trustedIssuers.verify(body.identity_token);
  },
  handle: async ({ body, prepared: identity, db, note, identities, link, signedIn }) => {
    const service = await serviceOf(db, identity, body.service_token);
    await signedIn(service.userId);
    const { issuer, subject } = identity;
    const { text, row } = await exchangeToken(db, identities, service, subject);
    const [accountId = null] = service.accountIds;
    note({ userId: service.userId, accountId, subject: `token/${row.id}`, changes: { issuer, subject } });
    return { api_token: text, token: token.serialize(row, link) };
  },
});

/**
 * The service token that trusts an identity.
 *
 * @throws 401 if none does, 404 if the one that the caller names does not, 422 if several do and the caller names none
 */
async function serviceOf(db: Tx, identity: JobIdentity, id: string | undefined): Promise<Token> {
  const { issuer, subject, audiences } = identity;
  const rows = await db.$queryRaw<{ id: string; subject: string | null; audience: string | null }[]>`
    SELECT id, trusted_subject AS subject, trusted_audience AS audience FROM tokens
    WHERE trusted_issuer = ${issuer} AND starts_with(${subject}, split_part(trusted_subject, '*', 1))
      AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > now())
      AND (${id ?? null}::uuid IS NULL OR id = ${id ?? null}::uuid)
    ORDER BY id`;
  const admitting = rows.filter((row) => row.subject !== null && admits(row.subject, subject));
  const trusting = admitting.filter(({ audience }) => audience !== null && audiences.includes(audience));
  const [first, second] = trusting;
  if (first && !second) return db.token.findUniqueOrThrow({ where: { id: first.id } });
  const had = `issuer ${issuer}, subject ${subject}, audience ${audiences.join(", ")}`;
  if (first) {
    const ids = trusting.map((row) => row.id).join(", ");
    const message = `must name one of the service tokens that trust this identity: ${ids}`;
    throw new HttpError(422, "missing", [`service_token: ${message}`], {
      missing: "service_token",
      details: [{ path: "service_token", message }],
    });
  }
  const expected = [...new Set(admitting.map(({ audience }) => audience))].join(" or ");
  if (id && !expected)
    throw new HttpError(404, "not_found", ["service_token: not found"], {
      details: [{ path: "service_token", message: "not found" }],
      failedSignIn: `${issuer} ${subject}`,
    });
  const reason = expected
    ? `its audience must be ${expected}`
    : "no active service token trusts its subject; create one with this issuer and subject in `trusts`";
  throw refusedIdentity(`${reason} (it has ${had})`, identity);
}
