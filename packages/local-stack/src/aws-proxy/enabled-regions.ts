import { AccountSettings } from "./account-settings.js";
import type { AwsError } from "./aws-response.js";
import { type Call, withParams } from "./call.js";

/** The regions that are enabled in each AWS account; all of the emulator's by default. */
export class EnabledRegions {
  readonly accounts = new AccountSettings<string[] | null>(null);

  /** Returns AWS's error for a call to a region that the account has not enabled, or undefined. */
  refusal({ service, region }: Call, accountId: string): AwsError | undefined {
    const enabled = this.accounts.of(accountId);
    if (!enabled || enabled.includes(region)) return undefined;
    if (service === "ec2") {
      const message = "AWS was not able to validate the provided access credentials";
      return { code: "AuthFailure", message, status: 401 };
    }
    const message = "The security token included in the request is invalid.";
    return { code: "InvalidClientTokenId", message, status: 403 };
  }

  /** Restricts the list of regions to the enabled ones, as AWS does unless all are requested. */
  restrict(call: Call, accountId: string): Call {
    const enabled = this.accounts.of(accountId);
    const { action, params } = call;
    if (!enabled || action !== "DescribeRegions" || params.AllRegions === "true" || params["RegionName.1"]) return call;
    return withParams(call, {
      ...params,
      ...Object.fromEntries(enabled.map((name, n) => [`RegionName.${n + 1}`, name])),
    });
  }
}
