import { appDatabaseUrl, freePort, localPassword, startPostgres, startRedis } from "@gantry/local-stack";
import { type StoreOptions, type Stores, supervised } from "./stores.js";

/** One PostgreSQL and one Redis. */
export async function singleStores(options: StoreOptions): Promise<Stores> {
  const { folder } = options;
  const [databasePort, redisPort] = [await freePort(), await freePort()];
  const databaseUrl = `postgresql://postgres:${localPassword(folder, "postgres")}@127.0.0.1:${databasePort}/gantry`;
  return {
    databaseUrl,
    appUrl: new URL(appDatabaseUrl(databaseUrl, folder)),
    redisUrl: `redis://:${localPassword(folder, "redis")}@127.0.0.1:${redisPort}`,
    settings: {},
    servers: {
      postgres: () => startPostgres({ ...options, port: databasePort, fsync: true }).then(supervised),
      redis: () => startRedis({ ...options, port: redisPort }).then(supervised),
    },
    victims: { redis: async () => "redis", postgres: async () => "postgres" },
  };
}
