import { chownSync } from "node:fs";
import { localPassword, postgresOwner, startPostgres } from "@gantry/local-stack";
import { createCertificates } from "./certificates.js";
import { startRedisServer } from "./redis-servers.js";
import { singleStores } from "./single.js";
import { type StoreOptions, type Stores, supervised } from "./stores.js";

/** One PostgreSQL and one Redis with a certificate of a private authority, which every client verifies. */
export async function tlsStores(options: StoreOptions): Promise<Stores> {
  const stores = await singleStores(options);
  const { ca, certificate, key } = createCertificates(options.folder);
  const owner = postgresOwner();
  if (owner) for (const file of [certificate, key]) chownSync(file, owner.uid, owner.gid);
  const verified = (url: URL | string) => {
    const address = new URL(url);
    address.searchParams.set("sslmode", "verify-full");
    address.searchParams.set("sslrootcert", ca);
    return address;
  };
  const portOf = (url: string) => Number(new URL(url).port);
  const [postgresPort, redisPort] = [portOf(stores.databaseUrl), portOf(stores.redisUrl)];
  const settings = { ssl: "on", ssl_cert_file: certificate, ssl_key_file: key };
  const files = [`tls-cert-file ${certificate}`, `tls-key-file ${key}`, `tls-ca-cert-file ${ca}`];
  const directives = [...files, "tls-auth-clients no"];
  const redisPassword = localPassword(options.folder, "redis");
  return {
    ...stores,
    databaseUrl: verified(stores.databaseUrl).href,
    appUrl: verified(stores.appUrl),
    redisUrl: `rediss://:${redisPassword}@127.0.0.1:${redisPort}?ca_file=${encodeURIComponent(ca)}`,
    servers: {
      postgres: () => startPostgres({ ...options, port: postgresPort, fsync: true, settings }).then(supervised),
      redis: () => startRedisServer(options, { name: "redis", port: redisPort, directives, isTls: true }),
    },
  };
}
