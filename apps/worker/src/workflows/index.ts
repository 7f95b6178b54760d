import type { RequestType } from "@gantry/resources";
import type { Aws } from "../aws/clients.js";
import type { AnyWorkflow } from "../engine/workflow.js";
import { addressProvision } from "./addresses/address-provision.js";
import { attachAddress } from "./addresses/attach-address.js";
import { deprovisionAddressRequest } from "./addresses/deprovision-address-request.js";
import { detachAddress } from "./addresses/detach-address.js";
import { deprovisionAutoScalingGroup } from "./auto-scaling-groups/deprovision-auto-scaling-group.js";
import { modifyAutoScalingGroup } from "./auto-scaling-groups/modify-auto-scaling-group.js";
import { provisionAutoScalingGroup } from "./auto-scaling-groups/provision-auto-scaling-group.js";
import { updateAutoScalingGroup } from "./auto-scaling-groups/update-auto-scaling-group.js";
import type { AwsWorkflow } from "./aws-workflow.js";
import { deprovisionDatabaseServer } from "./databases/deprovision-database-server.js";
import { deprovisionDatabaseServerSnapshot } from "./databases/deprovision-database-server-snapshot.js";
import { deprovisionDatabaseService } from "./databases/deprovision-database-service.js";
import { modifyDatabaseServer } from "./databases/modify-database-server.js";
import { promoteDatabaseServer } from "./databases/promote-database-server.js";
import { provisionDatabaseServer } from "./databases/provision-database-server.js";
import { provisionDatabaseServerSnapshot } from "./databases/provision-database-server-snapshot.js";
import { provisionDatabaseService } from "./databases/provision-database-service.js";
import { rotateDatabaseCredentials } from "./databases/rotate-database-credentials.js";
import { updateDatabaseServer } from "./databases/update-database-server.js";
import { removeLeakedResources } from "./drift/remove-leaked-resources.js";
import { removeOrphan } from "./drift/remove-orphan.js";
import { scanDrift } from "./drift/scan-drift.js";
import { configureEnvironment } from "./environments/configure-environment.js";
import { deprovisionEnvironment } from "./environments/deprovision-environment.js";
import { destroyEnvironment } from "./environments/destroy-environment.js";
import { scaleEnvironment } from "./environments/scale-environment.js";
import { startEnvironment } from "./environments/start-environment.js";
import { deprovisionFirewallRule } from "./firewalls/deprovision-firewall-rule.js";
import { modifyFirewallRule } from "./firewalls/modify-firewall-rule.js";
import { provisionDefaultFirewall } from "./firewalls/provision-default-firewall.js";
import { provisionFirewallRule } from "./firewalls/provision-firewall-rule.js";
import { deprovisionIamRole } from "./iam-roles/deprovision-iam-role.js";
import { modifyIamRole } from "./iam-roles/modify-iam-role.js";
import { provisionIamRole } from "./iam-roles/provision-iam-role.js";
import { deprovisionNetwork } from "./networks/deprovision-network.js";
import { deprovisionSubnet } from "./networks/deprovision-subnet.js";
import { provisionNetwork } from "./networks/provision-network.js";
import { provisionSubnet } from "./networks/provision-subnet.js";
import { cancelProvider } from "./providers/cancel-provider.js";
import { checkProvider } from "./providers/check-provider.js";
import { discoverProviderLocation } from "./providers/discover-provider-location.js";
import { discoverProviderLocations } from "./providers/discover-provider-locations.js";
import { provisionProvider } from "./providers/provision-provider.js";
import { provisionSharedProvider } from "./providers/provision-shared-provider.js";
import { replaceProviderCredentials } from "./providers/replace-provider-credentials.js";
import { deprovisionServer } from "./servers/deprovision-server.js";
import { discoverServer } from "./servers/discover-server.js";
import { instanceUpdate } from "./servers/instance-update.js";
import { modifyServer } from "./servers/modify-server.js";
import { provisionServer } from "./servers/provision-server.js";
import { deprovisionSnapshotRequest } from "./snapshots/deprovision-snapshot-request.js";
import { snapshotServer } from "./snapshots/snapshot-server.js";
import { updateTags } from "./tags/update-tags.js";
import { attachVolume } from "./volumes/attach-volume.js";
import { deprovisionVolume } from "./volumes/deprovision-volume.js";
import { detachVolume } from "./volumes/detach-volume.js";
import { modifyVolumeRequest } from "./volumes/modify-volume.js";
import { volumeProvision } from "./volumes/volume-provision.js";

// The compiler asks for a workflow for every type that the request-type table implements.
const byType: { [Name in RequestType]: AwsWorkflow<Name> } = {
  provision_provider: provisionProvider,
  provision_shared_provider: provisionSharedProvider,
  discover_provider_locations: discoverProviderLocations,
  discover_provider_location: discoverProviderLocation,
  cancel_provider: cancelProvider,
  check_provider: checkProvider,
  replace_provider_credentials: replaceProviderCredentials,

  provision_network: provisionNetwork,
  deprovision_network: deprovisionNetwork,
  provision_subnet: provisionSubnet,
  deprovision_subnet: deprovisionSubnet,

  start_environment: startEnvironment,
  scale_environment: scaleEnvironment,
  configure_environment: configureEnvironment,
  deprovision_environment: deprovisionEnvironment,
  destroy_environment: destroyEnvironment,

  provision_default_firewall: provisionDefaultFirewall,
  provision_firewall_rule: provisionFirewallRule,
  modify_firewall_rule: modifyFirewallRule,
  deprovision_firewall_rule: deprovisionFirewallRule,

  provision_server: provisionServer,
  deprovision_server: deprovisionServer,
  instance_update: instanceUpdate,
  modify_server: modifyServer,
  discover_server: discoverServer,

  address_provision: addressProvision,
  attach_address: attachAddress,
  detach_address: detachAddress,
  deprovision_address_request: deprovisionAddressRequest,

  volume_provision: volumeProvision,
  attach_volume: attachVolume,
  modify_volume: modifyVolumeRequest,
  detach_volume: detachVolume,
  deprovision_volume: deprovisionVolume,

  snapshot_server: snapshotServer,
  deprovision_snapshot_request: deprovisionSnapshotRequest,

  provision_iam_role: provisionIamRole,
  modify_iam_role: modifyIamRole,
  deprovision_iam_role: deprovisionIamRole,

  provision_database_service: provisionDatabaseService,
  deprovision_database_service: deprovisionDatabaseService,
  rotate_database_credentials: rotateDatabaseCredentials,
  provision_database_server: provisionDatabaseServer,
  modify_database_server: modifyDatabaseServer,
  update_database_server: updateDatabaseServer,
  promote_database_server: promoteDatabaseServer,
  deprovision_database_server: deprovisionDatabaseServer,
  provision_database_server_snapshot: provisionDatabaseServerSnapshot,
  deprovision_database_server_snapshot: deprovisionDatabaseServerSnapshot,

  provision_auto_scaling_group: provisionAutoScalingGroup,
  update_auto_scaling_group: updateAutoScalingGroup,
  modify_auto_scaling_group: modifyAutoScalingGroup,
  deprovision_auto_scaling_group: deprovisionAutoScalingGroup,

  scan_drift: scanDrift,
  remove_leaked_resources: removeLeakedResources,
  remove_orphan: removeOrphan,

  update_tags: updateTags,
};

/** The workflows of this version, by request type. */
export const workflows: ReadonlyMap<string, AnyWorkflow<Aws>> = new Map(
  Object.values(byType).map((workflow) => [workflow.type, workflow as AnyWorkflow<Aws>]),
);
