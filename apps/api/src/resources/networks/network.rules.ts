import { invalid } from "../../http/errors/errors.js";

const SMALLEST_WITH_TWO_SUBNETS = 27;

/** @throws 422 if a network could not have a public and a private subnet */
export function requireRoomForPrivateSubnets(network: { cidr: string; skip_subnets: boolean }): void {
  if (network.skip_subnets) throw invalid("network.private_subnets", "cannot be true with skip_subnets");
  if (Number(network.cidr.split("/")[1]) > SMALLEST_WITH_TWO_SUBNETS) {
    const message = `is too small for a public and a private subnet; use /${SMALLEST_WITH_TWO_SUBNETS} or larger`;
    throw invalid("network.cidr", message);
  }
}
