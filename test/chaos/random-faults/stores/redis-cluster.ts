import { execFileSync } from "node:child_process";
import { freePort, localPassword } from "@gantry/local-stack";
import { until } from "../../../support/until.js";
import { ask, startRedisServer } from "./redis-servers.js";
import { singleStores } from "./single.js";
import type { Launch, StoreOptions, Stores } from "./stores.js";

/** A killed node stays away until its replica has its place, but no longer than this. */
const FAILOVER_MS = 20_000;

/** A cluster of three primaries with a replica each. Killing Redis kills the primary that holds the queues. */
export async function redisClusterStores(options: StoreOptions): Promise<Stores> {
  const single = await singleStores(options);
  const { redis: _, ...others } = single.servers;
  const password = localPassword(options.folder, "redis");
  const ports: number[] = [];
  for (let node = 0; node < 6; node++) ports.push(await freePort());
  /** The port of the primary that holds the key, as another node sees it. */
  const holder = async (except?: number) => {
    for (const port of ports.filter((each) => each !== except)) {
      const found = await ask(port, password, async (redis) => {
        const slot = Number(await redis.cluster("KEYSLOT", "{chaos}:requests:meta"));
        const slots = await redis.cluster("SLOTS");
        return slots.find(([first, last]) => first <= slot && slot <= last)?.[2]?.[1];
      }).catch(() => undefined);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const nameOf = (port: number) => `redis-${ports.indexOf(port) + 1}`;
  const launch = (port: number, busPort: number): Launch => {
    let isFirst = true;
    const directives = ["cluster-enabled yes", "cluster-node-timeout 1500", `cluster-port ${busPort}`];
    return async () => {
      const end = Date.now() + FAILOVER_MS;
      if (!isFirst) await until(async () => (await holder(port)) !== port || Date.now() > end);
      isFirst = false;
      return startRedisServer(options, { name: nameOf(port), port, directives });
    };
  };
  const nodes: [string, Launch][] = [];
  for (const port of ports) nodes.push([nameOf(port), launch(port, await freePort())]);
  const hosts = ports.map((port) => `127.0.0.1:${port}`);
  return {
    ...single,
    redisUrl: `redis+cluster://:${password}@${hosts.join(",")}`,
    servers: { ...others, ...Object.fromEntries(nodes) },
    connect: async () => {
      const words = ["--cluster", "create", ...hosts, "--cluster-replicas", "1", "--cluster-yes"];
      execFileSync("redis-cli", words, { env: { ...options.environment, REDISCLI_AUTH: password }, stdio: "pipe" });
      await until(() =>
        ask(ports[0] ?? 0, password, async (redis) => /cluster_state:ok/.test(String(await redis.cluster("INFO")))),
      );
    },
    victims: { ...single.victims, redis: async () => nameOf((await holder()) ?? ports[0] ?? 0) },
  };
}
