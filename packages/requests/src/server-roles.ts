/** What a server does in its environment. */
export const SERVER_ROLES = ["solo", "app_master", "app", "db_master", "db_slave", "util"] as const;

export type ServerRole = (typeof SERVER_ROLES)[number];

/** The roles that run the application: an environment keeps one of them unless told otherwise. */
export const APPLICATION_ROLES: readonly ServerRole[] = ["solo", "app_master", "app"];
