import { freePort, localPassword } from "@gantry/local-stack";
import { until } from "../../../support/until.js";
import { ask, startRedisServer } from "./redis-servers.js";
import { singleStores } from "./single.js";
import type { Launch, StoreOptions, Stores } from "./stores.js";

const PRIMARY = "gantry";
/** A killed primary stays away until another one has its place, but no longer than this. */
const FAILOVER_MS = 20_000;

/** Three Redis servers and three Sentinels. Killing Redis kills the primary. */
export async function redisSentinelStores(options: StoreOptions): Promise<Stores> {
  const single = await singleStores(options);
  const { redis: _, ...others } = single.servers;
  const password = localPassword(options.folder, "redis");
  const ports = [await freePort(), await freePort(), await freePort()];
  const sentinelPorts = [await freePort(), await freePort(), await freePort()];
  const primaryPort = async () => {
    for (const port of sentinelPorts) {
      const found = await ask(port, password, (redis) =>
        redis.call("SENTINEL", "get-master-addr-by-name", PRIMARY),
      ).catch(() => undefined);
      if (Array.isArray(found)) return Number(found[1]);
    }
    return undefined;
  };
  const nameOf = (port: number) => `redis-${ports.indexOf(port) + 1}`;
  const launchRedis = (port: number): Launch => {
    let isFirst = true;
    return async () => {
      const end = Date.now() + FAILOVER_MS;
      if (!isFirst) await until(async () => (await primaryPort()) !== port || Date.now() > end);
      const primary = isFirst ? ports[0] : await primaryPort();
      isFirst = false;
      const directives = primary === undefined || primary === port ? [] : [`replicaof 127.0.0.1 ${primary}`];
      return startRedisServer(options, { name: nameOf(port), port, directives });
    };
  };
  const monitoring = [
    `sentinel monitor ${PRIMARY} 127.0.0.1 ${ports[0]} 2`,
    `sentinel auth-pass ${PRIMARY} ${password}`,
    `sentinel down-after-milliseconds ${PRIMARY} 1000`,
    `sentinel failover-timeout ${PRIMARY} 5000`,
    `sentinel sentinel-pass ${password}`,
  ];
  const launchSentinel =
    (port: number, index: number): Launch =>
    () =>
      startRedisServer(options, { name: `sentinel-${index + 1}`, port, directives: monitoring, isSentinel: true });
  const hosts = sentinelPorts.map((port) => `127.0.0.1:${port}`).join(",");
  return {
    ...single,
    redisUrl: `redis+sentinel://:${password}@${hosts}/${PRIMARY}?sentinel_password=${password}`,
    servers: {
      ...others,
      ...Object.fromEntries(ports.map((port) => [nameOf(port), launchRedis(port)])),
      ...Object.fromEntries(sentinelPorts.map((port, index) => [`sentinel-${index + 1}`, launchSentinel(port, index)])),
    },
    victims: {
      ...single.victims,
      redis: async () => nameOf((await primaryPort()) ?? ports[0] ?? 0),
    },
  };
}
