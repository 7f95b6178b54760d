import type { Endpoint } from "../http/endpoint.js";
import { accountEndpoints } from "./accounts/account.endpoints.js";
import { autoScalingGroupEndpoints } from "./auto-scaling-groups/auto-scaling-group.endpoints.js";
import { computeFlavorEndpoints } from "./compute-flavors/compute-flavor.endpoints.js";
import { databaseEngineEndpoints } from "./database-engines/database-engine.endpoints.js";
import { environmentEndpoints } from "./environments/environment.endpoints.js";
import { environmentLifecycleEndpoints } from "./environments/environment-lifecycle.endpoints.js";
import { iamRoleEndpoints } from "./iam-roles/iam-role.endpoints.js";
import { membershipEndpoints } from "./memberships/membership.endpoints.js";
import { networkEndpoints } from "./networks/network.endpoints.js";
import { providerLocationEndpoints } from "./provider-locations/provider-location.endpoints.js";
import { providerEndpoints } from "./providers/provider.endpoints.js";
import { automationEndpoints } from "./requests/automation.endpoints.js";
import { callbackEndpoints } from "./requests/callback.endpoints.js";
import { requestEndpoints } from "./requests/request.endpoints.js";
import { serverEndpoints } from "./servers/server.endpoints.js";
import { subnetEndpoints } from "./subnets/subnet.endpoints.js";
import { tokenEndpoints } from "./tokens/token.endpoints.js";
import { unmanagedEndpoints } from "./unmanaged.endpoints.js";
import { userEndpoints } from "./users/user.endpoints.js";

/** Everything that can be asked of the service. */
export const endpoints: Endpoint[] = [
  // Who asks
  ...tokenEndpoints,
  ...userEndpoints,
  ...accountEndpoints,
  ...membershipEndpoints,

  // Where things are made, and what can be had there
  ...providerEndpoints,
  ...providerLocationEndpoints,
  ...computeFlavorEndpoints,
  ...databaseEngineEndpoints,

  // What is made
  ...environmentEndpoints,
  ...environmentLifecycleEndpoints,
  ...networkEndpoints,
  ...subnetEndpoints,
  ...iamRoleEndpoints,
  ...serverEndpoints,
  ...autoScalingGroupEndpoints,

  // The work on it
  ...requestEndpoints,
  ...callbackEndpoints,
  ...automationEndpoints,

  ...unmanagedEndpoints,
];
