import type { Network, Tx } from "@gantry/db";
import { assertNoOpenRequest } from "../open-requests.js";
import { requireProvisioned } from "../provisioned.js";

/**
 * Call it with the network's row locked.
 *
 * @returns the VPC's id
 * @throws 409 where the network was deleted, is not provisioned yet, or is being deprovisioned
 */
export async function requireUsableNetwork(db: Tx, network: Network): Promise<string> {
  const vpcId = requireProvisioned("network", network);
  await assertNoOpenRequest(["deprovision_network"], db, "network", network.id);
  return vpcId;
}
