import { invalid } from "../../http/errors.js";

const SMALLEST_WITH_TWO_SUBNETS = 27;

/** @throws 422 if a network could not have a public and a private subnet */
export function requireRoomForPrivateSubnets(network: { cidr: string; skip_subnets: boolean }): void {
  if (network.skip_subnets) throw invalid("network.private_subnets", "cannot be true with skip_subnets");
  if (Number(network.cidr.split("/")[1]) > SMALLEST_WITH_TWO_SUBNETS) {
    const message = `has no room for a public and a private subnet: /${SMALLEST_WITH_TWO_SUBNETS} is the smallest that has`;
    throw invalid("network.cidr", message);
  }
}
