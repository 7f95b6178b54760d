import { localPassword } from "@gantry/local-stack";
import { startRedisServer } from "./redis-servers.js";
import { singleStores } from "./single.js";
import type { StoreOptions, Stores } from "./stores.js";
import { createCertificates } from "./tls.js";

/** One Redis that accepts only TLS, with a certificate of a private authority. */
export async function redisTlsStores(options: StoreOptions): Promise<Stores> {
  const stores = await singleStores(options);
  const { ca, certificate, key } = createCertificates(options.folder);
  const port = Number(new URL(stores.redisUrl).port);
  const files = [`tls-cert-file ${certificate}`, `tls-key-file ${key}`, `tls-ca-cert-file ${ca}`];
  const directives = [...files, "tls-auth-clients no"];
  return {
    ...stores,
    redisUrl: `rediss://:${localPassword(options.folder, "redis")}@127.0.0.1:${port}?ca_file=${encodeURIComponent(ca)}`,
    servers: {
      ...stores.servers,
      redis: () => startRedisServer(options, { name: "redis", port, directives, isTls: true }),
    },
  };
}
