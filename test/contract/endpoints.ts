/** An endpoint of the specification, with its parameters and its answer. */
export interface SpecifiedEndpoint {
  route: string;
  /** Top-level and nested parameters of the body, dotted; `!` marks the required. */
  takes?: string[];
  /** Filters and other parameters of the query. */
  query?: string[];
  status: number;
  /** The names of the answer's records; any one of them if there are several. */
  answers: string[];
  /** The type of the created Request. */
  opens?: string;
}

const read = (route: string, ...answers: string[]): SpecifiedEndpoint => ({ route, status: 200, answers });
const opens = (route: string, type: string, takes: string[] = []): SpecifiedEndpoint => ({
  route,
  status: 200,
  answers: ["request"],
  opens: type,
  takes,
});

const creates = (route: string, answers: string, takes: string[]): SpecifiedEndpoint => ({
  route,
  status: 201,
  answers: [answers],
  takes,
});
const deletes = (route: string): SpecifiedEndpoint => ({ route, status: 204, answers: [] });

const keypair = ["keypair.public_key", "keypair.name"];
const application = ["application.name", "application.repository", "application.type"];
const alert = ["alert.message", "alert.description", "alert.severity", "alert.name", "alert.external_id"];

const requestFilters = ["active", "type", "requester"];

/** The endpoints of the specification, group by group. */
export const ENDPOINTS: SpecifiedEndpoint[] = [
  read("GET /accounts", "accounts"),
  read("GET /users/:user_id/accounts", "accounts"),
  read("GET /accounts/:account_id", "account"),
  { ...read("PUT /accounts/:account_id", "account"), takes: ["account.emergency_contact"] },

  read("GET /accounts/:account_id/providers", "providers"),
  read("GET /providers/:provider", "provider"),
  opens("PUT /providers/:provider/locations/discover", "discover_provider_locations"),
  opens("PUT /providers/:provider/locations/:location/discover", "discover_provider_location"),
  read("GET /providers/:provider/locations", "locations", "provider_locations"),
  read("GET /providers/:provider/flavors/compute", "flavors"),
  read("GET /provider-locations/:provider_location_id/provider-locations", "provider_locations"),
  read("GET /provider-locations/:provider_location_id/flavors/compute", "flavors"),
  {
    ...read("PUT /provider-locations/:provider_location_id", "provider_location"),
    takes: ["provider_location.limits.servers", "provider_location.limits.addresses"],
  },

  read("GET /providers/:provider_id/database-server/flavors", "flavors"),
  read("GET /providers/:provider_id/database-server", "database_server"),
  read("GET /providers/:provider_id/database-server/versions", "versions"),

  opens("POST /database-services", "provision_database_service", [
    "provider!",
    "network",
    "database_service.name",
    "database_service.notes",
    "database_service.service_level",
    "database_service.email_alert_level",
    "database_server.engine",
    "database_server.version",
    "database_server.flavor",
    "database_server.location",
    "database_server.storage",
    "database_server.modifiers.multi_az",
    "database_server.backup_retention_period",
    "database_server.backup_window.start_time.hour",
    "database_server.backup_window.start_time.minute",
    "database_server.backup_window.duration",
    "database_server.storage_encrypted",
  ]),
  opens("DELETE /database-services/:database_service", "deprovision_database_service"),
  read("GET /database-services/:database_service", "database_service"),
  { ...read("GET /database-services/:database_service/logs", "logs_url"), query: ["database_server"] },
  read("GET /database-services/:database_service/events", "events_url"),
  read("GET /database-services/:database_service/metrics", "metrics_url"),
  {
    ...read("GET /database-services/:database_service/servers", "database_servers"),
    query: ["provisioned_id", "provisioner_id", "endpoint", "engine", "version", "storage"],
  },
  read("GET /database-services/:database_service/messages", "messages"),
  read("GET /providers/:provider_id/database-services", "database_services"),

  opens("POST /networks", "provision_network", [
    "provider!",
    "network.cidr",
    "network.location",
    "network.skip_subnets",
  ]),
  opens("POST /subnets", "provision_subnet", ["network!", "subnet.cidr", "subnet.location"]),
  opens("DELETE /networks/:network", "deprovision_network"),
  opens("DELETE /subnets/:subnet", "deprovision_subnet"),
  read("GET /networks/:network", "network"),
  read("GET /subnets/:subnet", "subnet"),
  read("GET /networks", "networks"),
  { ...read("GET /subnets", "subnets"), query: ["network"] },

  creates("POST /keypairs", "keypair", keypair),
  creates("POST /users/:user/keypairs", "keypair", keypair),
  deletes("DELETE /keypairs/:keypair_id"),
  read("GET /environments/:environment_id/keypairs", "keypairs"),
  read("GET /users/:user/keypairs", "keypairs"),
  read("GET /keypairs", "keypairs"),
  read("GET /applications/:application/keypairs", "keypairs"),

  creates("POST /applications", "application", application),
  creates("POST /accounts/:account/applications", "application", application),
  deletes("DELETE /applications/:application"),
  read("GET /applications", "applications"),
  read("GET /accounts/:account/applications", "applications"),

  creates("POST /database-servers/:database_server_id/alerts", "alert", alert),
  creates("POST /servers/:server_id/alerts", "alert", alert),
  read("GET /alerts/:alert", "alert"),
  read("GET /alerts", "alerts"),
  read("GET /environments/:environment/alerts", "alerts"),
  {
    ...read("PUT /alerts/:alert_id", "alert"),
    takes: ["alert.finished_at", "alert.acknowledged", "alert.message", "alert.started_at"],
  },

  creates("POST /accounts/:account/environments", "environment", [
    "network",
    "environment.name",
    "environment.application_id",
    "environment.database_stack",
    "environment.framework_env",
    "environment.language",
    "environment.encrypted_ebs_for_everything",
  ]),

  opens("POST /iam_roles", "provision_iam_role", [
    "provider!",
    "iam_role.assume_role_policy_document",
    "iam_role.instance_profile",
    "iam_role.name",
    "iam_role.path",
    "iam_role.policy",
    "iam_role.policy_arn",
    "iam_role.user_managed_policy",
  ]),
  opens("DELETE /iam_roles/:role_id", "deprovision_iam_role"),
  read("GET /iam_roles/:role_id", "iam_role"),
  read("GET /iam_roles", "iam_roles"),

  read("GET /environments/:environment/snapshots", "snapshots"),
  opens("POST /servers", "provision_server", [
    "environment!",
    "snapshot",
    "server.name",
    "server.flavor",
    "server.role",
    "server.dedicated",
    "server.subnet_id",
    "server.ip_id",
    "server.iam_role_id",
  ]),
  opens("POST /servers/:server/apply", "instance_update"),
  opens("DELETE /servers/:server", "deprovision_server"),
  read("GET /servers/:server", "server"),
  read("GET /accounts/:account/servers", "servers"),
  read("GET /servers", "servers"),

  read("GET /servers/:server/snapshots", "snapshots"),
  read("GET /servers/:server/snapshots/:request", "snapshots"),
  read("GET /snapshots/:snapshot", "snapshot"),
  opens("POST /servers/:server/snapshot", "snapshot_server"),

  opens("POST /firewalls/:firewall/rules", "provision_firewall_rule", [
    "firewall_rule.source",
    "firewall_rule.port_range",
    "firewall_rule.protocol",
  ]),
  opens("DELETE /firewall-rules/:firewall_rule", "deprovision_firewall_rule"),

  opens("POST /auto_scaling_groups", "provision_auto_scaling_group", [
    "environment!",
    "auto_scaling_group.minimum_size",
    "auto_scaling_group.maximum_size",
  ]),
  opens("DELETE /auto_scaling_groups/:auto_scaling_group_id", "deprovision_auto_scaling_group"),
  read("GET /auto_scaling_groups/:auto_scaling_group_id", "auto_scaling_group"),
  read("GET /auto_scaling_groups", "auto_scaling_groups"),
  opens("PUT /auto_scaling_groups/:auto_scaling_group_id", "update_auto_scaling_group", [
    "auto_scaling_group.minimum_size",
    "auto_scaling_group.maximum_size",
    "auto_scaling_group.desired_capacity",
  ]),

  { ...read("GET /accounts/:account/requests", "requests"), query: requestFilters },
  { ...read("GET /users/:user/requests", "requests"), query: [...requestFilters, "account"] },
];
