import { readFileSync } from "node:fs";
import { parseRedisAddress } from "@gantry/runtime";
import { Cluster, Redis } from "ioredis";

/** A connection to one server, to the primary that Sentinels name, or to a cluster. */
export type RedisConnection = Redis | Cluster;

/** The shortest time between two answers of a cluster to which of its nodes holds what. */
const SLOTS_REFRESH_MS = 2000;

/**
 * Connects to Redis, and reconnects for ever. During a failover commands fail or wait as without a server.
 *
 * @param address an address that `parseRedisAddress` accepts
 * @param answerSeconds the longest time of a command before it fails; without it commands wait without end
 * @param pipelines true to send the commands of one round of the event loop together
 */
export function connectRedis(
  address: string,
  { answerSeconds, pipelines = false }: { answerSeconds?: number; pipelines?: boolean } = {},
): RedisConnection {
  const failsFast = answerSeconds !== undefined;
  const { kind, url, nodes, name, username, password, ...more } = parseRedisAddress(address);
  const retryStrategy = (attempt: number) => Math.min(attempt * 100, 2000);
  const tls = more.isTls ? { ...(more.caFile !== undefined && { ca: readCa(more.caFile) }) } : undefined;
  const options = {
    maxRetriesPerRequest: failsFast ? 0 : null,
    commandTimeout: failsFast ? answerSeconds * 1000 : undefined,
    ...(tls && { tls }),
  };
  const pipelining = { enableAutoPipelining: pipelines, enableOfflineQueue: !failsFast };
  if (kind === "cluster")
    return new Cluster(nodes, {
      ...pipelining,
      redisOptions: { ...options, username, password },
      clusterRetryStrategy: retryStrategy,
      slotsRefreshInterval: SLOTS_REFRESH_MS,
      // A certificate names hosts, which a lookup would replace.
      ...(tls && { dnsLookup: (host, callback) => callback(null, host) }),
    });
  const connection = { ...options, ...pipelining, retryStrategy, reconnectOnError };
  if (kind === "single") return new Redis(url, connection);
  return new Redis({
    ...connection,
    ...{ sentinels: nodes, name, username, password, sentinelRetryStrategy: retryStrategy },
    sentinelUsername: more.sentinelUsername,
    sentinelPassword: more.sentinelPassword,
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
  });
}

/** A primary that a failover made a replica refuses writes: connects anew, and sends the command again. */
function reconnectOnError({ message }: Error): 2 | false {
  return message.startsWith("READONLY") ? 2 : false;
}

function readCa(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`REDIS_URL: the file of ca_file cannot be read: ${(error as Error).message}`);
  }
}
