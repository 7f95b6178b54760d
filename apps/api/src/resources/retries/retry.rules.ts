import { addressRetries } from "../addresses/address.retries.js";
import { autoScalingGroupRetries } from "../auto-scaling-groups/auto-scaling-group.retries.js";
import { databaseServerSnapshotRetries } from "../database-server-snapshots/database-server-snapshot.retries.js";
import { databaseServerRetries } from "../database-servers/database-server.retries.js";
import { databaseServiceRetries } from "../database-services/database-service.retries.js";
import { driftRetries } from "../drift/drift.retries.js";
import { environmentRetries } from "../environments/environment.retries.js";
import { firewallRuleRetries } from "../firewall-rules/firewall-rule.retries.js";
import { firewallRetries } from "../firewalls/firewall.retries.js";
import { iamRoleRetries } from "../iam-roles/iam-role.retries.js";
import { networkRetries } from "../networks/network.retries.js";
import { providerRetries } from "../providers/provider.retries.js";
import type { RetryRules } from "../retry-rule.js";
import { serverRetries } from "../servers/server.retries.js";
import { snapshotRetries } from "../snapshots/snapshot.retries.js";
import { subnetRetries } from "../subnets/subnet.retries.js";
import { tagRetries } from "../tags/tag.retries.js";
import { volumeRetries } from "../volumes/volume.retries.js";

/** The rules of every type. */
export const RETRY_RULES: Required<RetryRules> = {
  ...providerRetries,
  ...networkRetries,
  ...subnetRetries,
  ...firewallRetries,
  ...firewallRuleRetries,
  ...iamRoleRetries,
  ...environmentRetries,
  ...autoScalingGroupRetries,
  ...serverRetries,
  ...snapshotRetries,
  ...volumeRetries,
  ...addressRetries,
  ...databaseServiceRetries,
  ...databaseServerRetries,
  ...databaseServerSnapshotRetries,
  ...driftRetries,
  ...tagRetries,
};
