import { type AwsResponse, errorCodeOf, errorResponse } from "./aws-response.js";
import type { Call } from "./call.js";
import type { Emulator } from "./emulator.js";

const READ = /^(Describe|Get|List|Simulate)/;
const DENIALS = new Set(["UnauthorizedOperation", "AccessDenied", "AccessDeniedException"]);

/** The header by which the emulator's launcher knows a call whose caller needs a permission. */
const HEADER = "x-gantry-enforce-policies";

/**
 * The AWS accounts in which callers need the permissions that their IAM policies grant. The emulator compares only
 * actions: it knows neither resources nor conditions. The proxy's own queries need no permission.
 */
export class EnforcedPolicies {
  private readonly accounts = new Set<string>();

  enforceIn(accountId: string): void {
    this.accounts.add(accountId);
  }

  /** Marks a call if the account's policies are enforced. */
  mark(call: Call, accountId: string): Call {
    return this.accounts.has(accountId) ? { ...call, headers: { ...call.headers, [HEADER]: "1" } } : call;
  }

  /** The denial of a marked call that only reads. The proxy answers some itself, but the emulator knows who may make them. */
  async denialOfRead(call: Call, emulator: Pick<Emulator, "forward">): Promise<AwsResponse | undefined> {
    if (!call.headers[HEADER] || !READ.test(call.action)) return undefined;
    const response = withServiceDenial(call, await emulator.forward(call));
    return DENIALS.has(errorCodeOf(response) ?? "") ? response : undefined;
  }
}

/**
 * A response in which a denied call has the code and the form of its service; the emulator uses IAM's for all of them.
 */
export function withServiceDenial(call: Call, response: AwsResponse): AwsResponse {
  if (response.status !== 403 || errorCodeOf(response) !== "AccessDenied") return response;
  const code = call.headers["x-amz-target"] ? "AccessDeniedException" : "AccessDenied";
  const message = /<Message>([^<]*)</.exec(response.body.toString())?.[1] ?? "";
  return errorResponse(call, { code: call.service === "ec2" ? "UnauthorizedOperation" : code, message, status: 403 });
}
