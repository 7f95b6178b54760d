import { type AwsError, type AwsResponse, errorResponse } from "./aws-response.js";
import type { Call } from "./call.js";
import type { SubnetZones } from "./subnet-zones.js";

interface StoredResponse {
  parameters: string;
  response: Promise<AwsResponse>;
}

const TOKEN_ACTIONS = new Set([
  "CreateLaunchTemplate",
  "CreateLaunchTemplateVersion",
  "CreateNatGateway",
  "CreateNetworkInterface",
  "CreateRouteTable",
  "CreateVolume",
  "RunInstances",
]);
const MISMATCH: AwsError = {
  code: "IdempotentParameterMismatch",
  message: "Client token already used with different parameters.",
};

/**
 * Client tokens of EC2: a call with the same token and parameters gets the first call's response, also while the first
 * call runs; other parameters cause a mismatch. A rejected call leaves its token unused.
 * https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
 */
export class IdempotencyTokens {
  private readonly stored = new Map<string, StoredResponse>();

  constructor(private readonly zones: SubnetZones) {}

  async respondOnce(call: Call, accountId: string, respond: () => Promise<AwsResponse>): Promise<AwsResponse> {
    const token = call.params.ClientToken;
    if (call.service !== "ec2" || !token || !TOKEN_ACTIONS.has(call.action)) return respond();
    const key = [accountId, call.region, call.action, await this.zoneOf(call), token].join("|");
    const parameters = JSON.stringify(Object.entries(call.params).sort());
    const first = this.stored.get(key);
    if (first) return first.parameters === parameters ? first.response : errorResponse(call, MISMATCH);
    const added = { parameters, response: respond() };
    this.stored.set(key, added);
    const remove = () => this.stored.get(key) === added && this.stored.delete(key);
    added.response.then(({ status }) => status >= 400 && remove(), remove);
    return added.response;
  }

  /** The scope of a RunInstances token is one zone. */
  private async zoneOf(call: Call): Promise<string> {
    if (call.action !== "RunInstances") return "";
    const { "Placement.AvailabilityZone": zone, SubnetId, "NetworkInterface.1.SubnetId": other } = call.params;
    const subnet = SubnetId ?? other;
    return zone ?? (subnet ? this.zones.of(call, subnet) : "");
  }
}
