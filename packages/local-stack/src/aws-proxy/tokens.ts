import { type Answer, type Refusal, refusalAnswer } from "./answer.js";
import type { Call } from "./call.js";
import type { Emulator } from "./emulator.js";
import { text } from "./xml.js";

interface Remembered {
  parameters: string;
  answer: Promise<Answer>;
}

const TOKENED = new Set([
  "CreateLaunchTemplate",
  "CreateLaunchTemplateVersion",
  "CreateNatGateway",
  "CreateNetworkInterface",
  "CreateRouteTable",
  "CreateVolume",
  "RunInstances",
]);
const MISMATCH: Refusal = {
  code: "IdempotentParameterMismatch",
  message: "Client token already used with different parameters.",
};

/**
 * Client tokens as EC2 keeps them: the same token with the same parameters gets the first answer, even while that is
 * still being made; with other parameters a mismatch. A refused call leaves its token free.
 * https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
 */
export class ClientTokens {
  private readonly seen = new Map<string, Remembered>();
  private readonly zones = new Map<string, Promise<string>>();

  constructor(private readonly emulator: Emulator) {}

  async once(call: Call, accountId: string, answer: () => Promise<Answer>): Promise<Answer> {
    const token = call.params.ClientToken;
    if (call.service !== "ec2" || !token || !TOKENED.has(call.action)) return answer();
    const key = [accountId, call.region, call.action, await this.zoneOf(call), token].join("|");
    const parameters = JSON.stringify(Object.entries(call.params).sort());
    const first = this.seen.get(key);
    if (first) return first.parameters === parameters ? first.answer : refusalAnswer(call, MISMATCH);
    const remembered = { parameters, answer: answer() };
    this.seen.set(key, remembered);
    const forget = () => this.seen.get(key) === remembered && this.seen.delete(key);
    remembered.answer.then(({ status }) => status >= 400 && forget(), forget);
    return remembered.answer;
  }

  /** RunInstances' token holds in one zone. */
  private async zoneOf(call: Call): Promise<string> {
    if (call.action !== "RunInstances") return "";
    const { "Placement.AvailabilityZone": zone, SubnetId, "NetworkInterface.1.SubnetId": other } = call.params;
    const subnet = SubnetId ?? other;
    if (zone || !subnet) return zone ?? "";
    const asked = this.zones.get(subnet) ?? this.askZone(call, subnet);
    this.zones.set(subnet, asked);
    return asked;
  }

  private async askZone(call: Call, subnet: string): Promise<string> {
    const found = await this.emulator.read(call, "ec2", { Action: "DescribeSubnets", "SubnetId.1": subnet });
    return text(found, "subnetSet", "item", "availabilityZone");
  }
}
