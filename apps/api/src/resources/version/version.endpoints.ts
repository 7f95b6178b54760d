import { field } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { json } from "../../http/reply/reply.js";
import { version } from "../../http/version.js";

const signInWay = z
  .object({
    type: field(z.enum(["password", "issuer"]), "password", "`password`: `POST /tokens`; `issuer`: with a browser"),
    name: field(z.string().nullable(), null, "The host of the OpenID Connect issuer; null for passwords"),
    url: field(z.url(), "http://127.0.0.1:3000/tokens", "Where the sign-in starts"),
  })
  .meta({ id: "SignInWay" });

const installedVersion = z
  .object({
    version: field(z.string(), "0.2.0"),
    api: field(
      z.int(),
      2000,
      "The version as a number: `major` × 1,000,000 + `minor` × 1,000 + `patch`. A client compares it with the one that it needs",
    ),
    sign_in: z.array(signInWay).describe("The ways to get a token without one"),
  })
  .meta({ id: "Version" });

export const versionEndpoints = [
  endpoint({
    route: "GET /version",
    summary: "Show the version of the API, and how to sign in",
    access: "anyone",
    reply: json(z.object({ version: installedVersion })),
    handle: ({ env: { OIDC_ISSUER }, link }) => ({
      version: {
        version,
        api: numberOf(version),
        sign_in: [
          { type: "password" as const, name: null, url: link("tokens") },
          ...(OIDC_ISSUER ? [{ type: "issuer" as const, name: new URL(OIDC_ISSUER).host, url: link("sign-in") }] : []),
        ],
      },
    }),
  }),
];

/** The version as a number that grows with it; a pre-release counts as its release. */
export function numberOf(text: string): number {
  const [major = 0, minor = 0, patch = 0] = (text.split("-")[0] ?? "").split(".").map(Number);
  return (major * 1000 + minor) * 1000 + patch;
}
