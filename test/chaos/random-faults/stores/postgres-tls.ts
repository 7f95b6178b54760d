import { chownSync } from "node:fs";
import { postgresOwner, startPostgres } from "@gantry/local-stack";
import { singleStores } from "./single.js";
import { type StoreOptions, type Stores, supervised } from "./stores.js";
import { createCertificates } from "./tls.js";

/** PostgreSQL with a certificate of a private authority; every client verifies it. */
export async function postgresTlsStores(options: StoreOptions): Promise<Stores> {
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
  const port = Number(new URL(stores.databaseUrl).port);
  const settings = { ssl: "on", ssl_cert_file: certificate, ssl_key_file: key };
  return {
    ...stores,
    databaseUrl: verified(stores.databaseUrl).href,
    appUrl: verified(stores.appUrl),
    servers: {
      ...stores.servers,
      postgres: () => startPostgres({ ...options, port, fsync: true, settings }).then(supervised),
    },
  };
}
