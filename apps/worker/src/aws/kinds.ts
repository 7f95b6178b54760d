import type { CloudKind } from "../engine/cloud-kind.js";
import { autoScalingGroup } from "./auto-scaling/group.js";
import type { Aws } from "./clients.js";
import { address } from "./ec2/address.js";
import { image } from "./ec2/image.js";
import { instance } from "./ec2/instance.js";
import { internetGateway } from "./ec2/internet-gateway.js";
import { keyPair } from "./ec2/key-pair.js";
import { launchTemplate } from "./ec2/launch-template.js";
import { natAddress, natGateway } from "./ec2/nat-gateway.js";
import { routeTable } from "./ec2/route-table.js";
import { securityGroup } from "./ec2/security-group.js";
import { securityGroupRule } from "./ec2/security-group-rule.js";
import { snapshot } from "./ec2/snapshot.js";
import { subnet } from "./ec2/subnet.js";
import { volume } from "./ec2/volume.js";
import { vpc } from "./ec2/vpc.js";
import { instanceProfile } from "./iam/instance-profile.js";
import { policy } from "./iam/policy.js";
import { role } from "./iam/role.js";
import { dbCluster } from "./rds/db-cluster.js";
import { dbClusterSnapshot } from "./rds/db-cluster-snapshot.js";
import { dbInstance } from "./rds/db-instance.js";
import { dbParameterGroup } from "./rds/db-parameter-group.js";
import { dbSnapshot } from "./rds/db-snapshot.js";
import { dbSubnetGroup } from "./rds/db-subnet-group.js";

/** Every kind of object that Gantry creates in AWS, by its name in the ledger. */
export const kinds: ReadonlyMap<string, CloudKind<Aws>> = new Map(
  [
    vpc,
    internetGateway,
    natAddress,
    natGateway,
    routeTable,
    subnet,
    keyPair,
    securityGroup,
    securityGroupRule,
    address,
    volume,
    snapshot,
    image,
    instance,
    launchTemplate,
    autoScalingGroup,
    policy,
    role,
    instanceProfile,
    dbSubnetGroup,
    dbParameterGroup,
    dbCluster,
    dbInstance,
    dbSnapshot,
    dbClusterSnapshot,
  ].map((kind) => [kind.kind, kind as CloudKind<Aws>]),
);
