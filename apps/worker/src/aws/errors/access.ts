import { type ErrorRow, permanent, retry, wait } from "./row.js";

const SERVICE_CONTROL_POLICY = /explicit deny in a service control policy/i;

/** Errors of credentials, permissions and accounts. */
export const accessErrors: ErrorRow[] = [
  [
    /^WorkerWithoutIdentity$/,
    retry("Gantry's worker has no valid AWS credentials; Gantry's operator must configure them"),
  ],
  [
    /^RoleNotAssumed$/,
    // A trust policy takes some seconds to apply everywhere.
    retry(
      "Gantry cannot assume the provider's role; make sure that the role exists and that its trust policy contains Gantry's identity and the account's external id",
    ),
  ],
  [
    /^(AccessDenied|UnauthorizedOperation|Client\.UnauthorizedOperation|AuthFailure)/,
    permanent(({ action }) => {
      const denied = action || "this";
      return `A service control policy of the AWS organization denies ${denied}; the organization's administrator can allow it`;
    }),
    SERVICE_CONTROL_POLICY,
  ],
  [
    /^(AccessDenied|UnauthorizedOperation|Client\.UnauthorizedOperation)/,
    permanent(({ action }) =>
      action
        ? `The provider's credentials lack the permission ${action} in AWS`
        : "The provider's credentials lack a required permission in AWS",
    ),
  ],
  [/^ExpiredToken/, retry("The AWS session has expired; Gantry will start a new one")],
  [
    /^(RequestExpired|RequestTimeTooSkewed|RequestInTheFuture)/,
    retry("The clock of Gantry's worker is wrong; Gantry's operator must set it"),
  ],
  [
    /^SignatureDoesNotMatch/,
    retry("The clock of Gantry's worker is wrong; Gantry's operator must set it"),
    /Signature (expired|not yet current)/i,
  ],
  [
    /^RegionDisabled/,
    permanent(
      "The AWS account has not enabled this region, or AWS STS in this region; the account's owner can enable it",
    ),
  ],
  [
    /^OptInRequired/,
    permanent("The AWS account has not opted in to this region or service; the account's owner can enable it"),
  ],
  [
    /^(AuthFailure|InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch|InvalidToken|IncompleteSignature|InvalidAccessKeyId|MissingAuthenticationToken)/,
    permanent("AWS does not accept the provider's credentials, or the AWS account has not enabled this region"),
  ],
  [/^PendingVerification/, wait("AWS to verify the new AWS account, which can take up to four hours", 60, 240)],
  [/^Blocked$/, permanent("AWS has blocked the AWS account; its owner can contact AWS Support")],
  [
    /^(TagPolicyViolation|InvalidTagKey)/,
    permanent(
      "A tag policy of the AWS organization rejects the tags that Gantry sets; the organization's administrator can allow them",
    ),
  ],
  // Only a check asks for simulations and quotas; its report shows the code.
  [/^PolicyEvaluation/, permanent("AWS could not evaluate the policies of the provider's credentials")],
  [/^(IllegalArgument|NoSuchResource)/, permanent("AWS does not have this quota in this region")],
];
