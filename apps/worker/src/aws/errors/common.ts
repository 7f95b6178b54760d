import { QUOTA_USED_UP } from "./outcomes.js";
import { type ErrorRow, permanent, retry, unlessGone, wait } from "./row.js";

/** Codes by which AWS says that it gets too many calls. */
export const THROTTLED = /Throttl|RequestLimitExceeded|BandwidthLimitExceeded|TooManyRequests|SlowDown|^Rate/;

/** Errors that pass, of every service. They come first: their codes hold words that later rows match. */
export const passingErrors: ErrorRow[] = [
  [THROTTLED, wait("AWS to accept more calls", 5, 60)],
  [
    /^(Server\.)?(InternalError|InternalFailure|InternalServerError|ServerInternal|InternalServiceError|ServiceUnavailable|Unavailable|ServiceFailure)|^(IDPCommunicationError|PriorRequestNotComplete|TransactionInProgress|InvalidNextToken)/,
    retry("AWS repeatedly reported an internal error"),
  ],
];

/** The outcome of a call that an endpoint in AWS's place, such as an emulator, lacks. */
export const notImplemented = permanent(
  ({ action }) => `This endpoint does not implement ${action || "the call"}, unlike AWS`,
);

/** Errors of every service that never pass. They come last: other rows know more about some of them. */
export const refusals: ErrorRow[] = [
  [/LimitExceeded(Fault)?$|QuotaExceeded|^MaxIOPSLimitExceeded/, QUOTA_USED_UP],
  [
    /AlreadyExists|^Invalid(AMIName|Group|KeyPair|Permission)\.Duplicate/,
    permanent(
      "An object with this name already exists in the AWS account and does not belong to this record; remove it or choose another name",
    ),
  ],
  [/^(NotImplemented|UnknownOperation|InvalidAction|UnknownAction)/, notImplemented],
  [
    /^(InvalidParameter|InvalidInput|InvalidRequest|ValidationError|MissingParameter|UnknownParameter|MalformedQueryString|IdempotentParameterMismatch|PackedPolicyTooLarge|400$)/,
    unlessGone(
      permanent(
        ({ code }) =>
          `AWS rejected a value of this operation (${code}); change the value, or report it to Gantry's operator`,
      ),
    ),
  ],
];
