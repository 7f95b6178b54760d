import { withOtherNames, withPatch } from "../http/endpoint.js";
import { withTolerated } from "../http/input/tolerated-parameters.js";
import { accountEndpoints } from "./accounts/account.endpoints.js";
import { addressEndpoints } from "./addresses/address.endpoints.js";
import { alertEndpoints } from "./alerts/alert.endpoints.js";
import { alertListEndpoints } from "./alerts/alert-lists.endpoints.js";
import { applicationEndpoints } from "./applications/application.endpoints.js";
import { auditEndpoints } from "./audit/audit.endpoints.js";
import { autoScalingGroupEndpoints } from "./auto-scaling-groups/auto-scaling-group.endpoints.js";
import { blueprintEndpoints } from "./blueprints/blueprint.endpoints.js";
import { bootEndpoints } from "./boots/boot.endpoints.js";
import { computeFlavorEndpoints } from "./compute-flavors/compute-flavor.endpoints.js";
import { databaseEngineEndpoints } from "./database-engines/database-engine.endpoints.js";
import { databaseServerSnapshotEndpoints } from "./database-server-snapshots/database-server-snapshot.endpoints.js";
import { databaseServerEndpoints } from "./database-servers/database-server.endpoints.js";
import { databaseConsoleEndpoints } from "./database-services/database-console.endpoints.js";
import { databaseCredentialsEndpoints } from "./database-services/database-credentials.endpoints.js";
import { databaseRestoreEndpoints } from "./database-services/database-restore.endpoints.js";
import { databaseServiceEndpoints } from "./database-services/database-service.endpoints.js";
import { databaseServiceRequestEndpoints } from "./database-services/database-service-requests.endpoints.js";
import { driftEndpoints } from "./drift/drift.endpoints.js";
import { environmentEndpoints } from "./environments/environment.endpoints.js";
import { eventEndpoints } from "./events/event.endpoints.js";
import { firewallRuleEndpoints } from "./firewall-rules/firewall-rule.endpoints.js";
import { firewallEndpoints } from "./firewalls/firewall.endpoints.js";
import { iamRoleEndpoints } from "./iam-roles/iam-role.endpoints.js";
import { invitationEndpoints } from "./invitations/invitation.endpoints.js";
import { keypairEndpoints } from "./keypairs/keypair.endpoints.js";
import { membershipEndpoints } from "./memberships/membership.endpoints.js";
import { networkEndpoints } from "./networks/network.endpoints.js";
import { operationsEndpoints } from "./operations/operations.endpoints.js";
import { providerLocationEndpoints } from "./provider-locations/provider-location.endpoints.js";
import { providerEndpoints } from "./providers/provider.endpoints.js";
import { automationEndpoints } from "./requests/automation.endpoints.js";
import { callbackEndpoints } from "./requests/callback.endpoints.js";
import { leakedResourceEndpoints } from "./requests/leaked-resources.endpoints.js";
import { requestEndpoints } from "./requests/request.endpoints.js";
import { requestTypeEndpoints } from "./requests/request-types.endpoints.js";
import { resourceRequestEndpoints } from "./requests/resource-requests.endpoints.js";
import { retryEndpoint } from "./retries/retry.endpoint.js";
import { scalingEndpoints } from "./scaling/scaling.endpoints.js";
import { searchEndpoints } from "./searches/search.endpoints.js";
import { serverEndpoints } from "./servers/server.endpoints.js";
import { servicePlanEndpoints } from "./service-plans/service-plan.endpoints.js";
import { identityTokenEndpoint } from "./service-tokens/identity-token.endpoint.js";
import { serviceTokenEndpoints } from "./service-tokens/service-token.endpoints.js";
import { sessionEndpoints } from "./session/session.endpoints.js";
import { snapshotEndpoints } from "./snapshots/snapshot.endpoints.js";
import { subnetEndpoints } from "./subnets/subnet.endpoints.js";
import { summaryEndpoints } from "./summaries/summary.endpoints.js";
import { tagEndpoints } from "./tags/tag.endpoints.js";
import { signInTokenEndpoint } from "./tokens/sign-in-token.endpoint.js";
import { tokenEndpoints } from "./tokens/token.endpoints.js";
import { TOLERATED } from "./tolerated-parameters.js";
import { unmanagedEndpoints } from "./unmanaged.endpoints.js";
import { userEndpoints } from "./users/user.endpoints.js";
import { versionEndpoints } from "./version/version.endpoints.js";
import { volumeEndpoints } from "./volumes/volume.endpoints.js";
import { webhookEndpoints } from "./webhooks/webhook.endpoints.js";
import { webhookDeliveryEndpoints } from "./webhooks/webhook-delivery.endpoints.js";

// The table of contents of the API.
const declared = [
  // Identity and access
  ...versionEndpoints,
  ...tokenEndpoints,
  ...sessionEndpoints,
  signInTokenEndpoint,
  identityTokenEndpoint,
  ...userEndpoints,
  ...accountEndpoints,
  ...summaryEndpoints,
  ...searchEndpoints,
  ...membershipEndpoints,
  ...invitationEndpoints,
  ...serviceTokenEndpoints,
  ...auditEndpoints,

  // Providers and their offers
  ...providerEndpoints,
  ...providerLocationEndpoints,
  ...computeFlavorEndpoints,
  ...databaseEngineEndpoints,
  ...servicePlanEndpoints,

  // Applications
  ...applicationEndpoints,
  ...keypairEndpoints,

  // Infrastructure
  ...environmentEndpoints,
  ...bootEndpoints,
  ...scalingEndpoints,
  ...blueprintEndpoints,
  ...networkEndpoints,
  ...subnetEndpoints,
  ...firewallEndpoints,
  ...firewallRuleEndpoints,
  ...addressEndpoints,
  ...volumeEndpoints,
  ...snapshotEndpoints,
  ...iamRoleEndpoints,
  ...serverEndpoints,
  ...autoScalingGroupEndpoints,
  ...databaseServiceEndpoints,
  ...databaseServiceRequestEndpoints,
  ...databaseCredentialsEndpoints,
  ...databaseRestoreEndpoints,
  ...databaseConsoleEndpoints,
  ...databaseServerEndpoints,
  ...databaseServerSnapshotEndpoints,
  ...tagEndpoints,

  // Monitoring
  ...eventEndpoints,
  ...webhookEndpoints,
  ...webhookDeliveryEndpoints,
  ...alertEndpoints,
  ...alertListEndpoints,
  ...driftEndpoints,
  ...operationsEndpoints,

  // Requests
  ...requestEndpoints,
  ...requestTypeEndpoints,
  ...resourceRequestEndpoints,
  ...leakedResourceEndpoints,
  ...callbackEndpoints,
  ...automationEndpoints,

  ...unmanagedEndpoints,
];

/** The endpoints of the API. */
export const endpoints = withTolerated(TOLERATED, withOtherNames(withPatch([...declared, retryEndpoint(declared)])));
