/** The roles of servers in their environment. */
export const SERVER_ROLES = ["solo", "app_master", "app", "db_master", "db_slave", "util"] as const;

export type ServerRole = (typeof SERVER_ROLES)[number];

/** The roles that run the application. */
export const APPLICATION_ROLES: readonly ServerRole[] = ["solo", "app_master", "app"];
