import type { Call } from "./call.js";
import type { Emulator } from "./emulator.js";
import { text } from "./xml.js";

/** The zones of subnets, which never change. */
export class SubnetZones {
  private readonly zones = new Map<string, Promise<string>>();

  constructor(private readonly emulator: Emulator) {}

  /** Returns the name of a subnet's zone, or an empty string if the caller does not have the subnet. */
  of(call: Call, subnet: string): Promise<string> {
    const zone = this.zones.get(subnet) ?? this.query(call, subnet);
    this.zones.set(subnet, zone);
    zone.then(
      (name) => name || this.zones.delete(subnet),
      () => this.zones.delete(subnet),
    );
    return zone;
  }

  private async query(call: Call, subnet: string): Promise<string> {
    const found = await this.emulator.read(call, "ec2", { Action: "DescribeSubnets", "SubnetId.1": subnet });
    return text(found, "subnetSet", "item", "availabilityZone");
  }
}
