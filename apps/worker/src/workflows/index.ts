import type { OperationName } from "@gantry/requests";
import type { Aws } from "../aws/clients.js";
import type { AnyWorkflow } from "../engine/workflow.js";
import type { AwsWorkflow } from "./aws-workflow.js";
import { deprovisionEnvironment } from "./environments/deprovision-environment.js";
import { destroyEnvironment } from "./environments/destroy-environment.js";
import { startEnvironment } from "./environments/start-environment.js";
import { deprovisionIamRole } from "./iam-roles/deprovision-iam-role.js";
import { provisionIamRole } from "./iam-roles/provision-iam-role.js";
import { deprovisionNetwork } from "./networks/deprovision-network.js";
import { deprovisionSubnet } from "./networks/deprovision-subnet.js";
import { provisionNetwork } from "./networks/provision-network.js";
import { provisionSubnet } from "./networks/provision-subnet.js";
import { cancelProvider } from "./providers/cancel-provider.js";
import { discoverProviderLocation } from "./providers/discover-provider-location.js";
import { discoverProviderLocations } from "./providers/discover-provider-locations.js";
import { provisionProvider } from "./providers/provision-provider.js";

// The compiler asks for a workflow for every type that the request-type table implements.
const byType: { [Name in OperationName]?: AwsWorkflow<Name> } = {
  provision_provider: provisionProvider,
  discover_provider_locations: discoverProviderLocations,
  discover_provider_location: discoverProviderLocation,
  cancel_provider: cancelProvider,

  provision_network: provisionNetwork,
  deprovision_network: deprovisionNetwork,
  provision_subnet: provisionSubnet,
  deprovision_subnet: deprovisionSubnet,

  start_environment: startEnvironment,
  deprovision_environment: deprovisionEnvironment,
  destroy_environment: destroyEnvironment,

  provision_iam_role: provisionIamRole,
  deprovision_iam_role: deprovisionIamRole,
};

/** What this worker does, by request type. */
export const workflows: ReadonlyMap<string, AnyWorkflow<Aws>> = new Map(
  Object.values(byType).map((workflow) => [workflow.type, workflow as AnyWorkflow<Aws>]),
);
