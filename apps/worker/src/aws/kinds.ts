import type { CloudKind } from "../engine/cloud-kind.js";
import type { Aws } from "./clients.js";
import { internetGateway } from "./ec2/internet-gateway.js";
import { routeTable } from "./ec2/route-table.js";
import { subnet } from "./ec2/subnet.js";
import { vpc } from "./ec2/vpc.js";
import { instanceProfile } from "./iam/instance-profile.js";
import { policy } from "./iam/policy.js";
import { role } from "./iam/role.js";

/** Every kind of object that Gantry makes in AWS, by its name in the ledger. */
export const kinds: ReadonlyMap<string, CloudKind<Aws>> = new Map(
  [vpc, internetGateway, routeTable, subnet, policy, role, instanceProfile].map((kind) => [
    kind.kind,
    kind as CloudKind<Aws>,
  ]),
);
