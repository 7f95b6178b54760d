/** An endpoint of the specification: how it is asked, what it takes, and what its answer holds. */
export interface SpecifiedEndpoint {
  route: string;
  /** Top-level and nested parameters of the body, dotted; `!` marks the required. */
  takes?: string[];
  /** Filters and other parameters of the query. */
  query?: string[];
  status: number;
  /** The names under which the answer holds its records; any one of them where there are several. */
  answers: string[];
  /** The type of the Request that it opens. */
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
