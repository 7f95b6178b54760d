import type { Scenarios } from "@gantry/test/support/scenario";
import { addressScenarios } from "./addresses/addresses.scenarios.js";
import { autoScalingGroupScenarios } from "./auto-scaling-groups/auto-scaling-groups.scenarios.js";
import { databaseScenarios } from "./databases/databases.scenarios.js";
import { driftScenarios } from "./drift/drift.scenarios.js";
import { environmentScenarios } from "./environments/environments.scenarios.js";
import { firewallScenarios } from "./firewalls/firewalls.scenarios.js";
import { iamRoleScenarios } from "./iam-roles/iam-roles.scenarios.js";
import { networkScenarios } from "./networks/networks.scenarios.js";
import { providerScenarios } from "./providers/providers.scenarios.js";
import { serverScenarios } from "./servers/servers.scenarios.js";
import { snapshotScenarios } from "./snapshots/snapshots.scenarios.js";
import { tagScenarios } from "./tags/tags.scenarios.js";
import { volumeScenarios } from "./volumes/volumes.scenarios.js";

export { requestGroup, requestSizesAfterCancel } from "./auto-scaling-groups/auto-scaling-groups.scenarios.js";
export { restoreScenarios, snapshotRestoreScenarios } from "./databases/databases.scenarios.js";
export { rootSnapshotScenarios } from "./servers/servers.scenarios.js";
export { requestTags } from "./tags/tags.scenarios.js";

/** The scenario of every request type. */
export const scenarios = {
  ...addressScenarios,
  ...autoScalingGroupScenarios,
  ...databaseScenarios,
  ...driftScenarios,
  ...environmentScenarios,
  ...firewallScenarios,
  ...iamRoleScenarios,
  ...networkScenarios,
  ...providerScenarios,
  ...serverScenarios,
  ...snapshotScenarios,
  ...tagScenarios,
  ...volumeScenarios,
} satisfies Required<Scenarios>;
