import type { DatabaseService, Tx } from "@gantry/db";
import { field } from "@gantry/resources";
import { z } from "zod";

/**
 * The certificates of RDS, by the start of a region's name: "Using SSL/TLS to encrypt a connection to a DB instance" in the RDS user
 * guides of AWS and of AWS in China, as cited by their users in November 2026.
 */
const TLS_BUNDLES = {
  "cn-": "https://rds-truststore.s3.cn-north-1.amazonaws.com.cn/global/global-bundle.pem",
  "us-gov-": "https://truststore.pki.us-gov-west-1.rds.amazonaws.com/global/global-bundle.pem",
  "": "https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem",
};

export const connection = z
  .object({
    host: field(z.string().nullable(), "shop.abc.us-east-1.rds.amazonaws.com", "Null until the database exists"),
    port: field(z.int().nullable(), 5432),
    username: field(z.string().nullable(), "gantry"),
    url: field(
      z.string().nullable(),
      "postgres://gantry@shop.abc.us-east-1.rds.amazonaws.com:5432",
      "Without the password, which the database's record has",
    ),
    tls_bundle: field(z.url(), TLS_BUNDLES[""], "The certificates by which a client verifies the server"),
    replicas: z.array(z.string()).describe("The hosts that only read"),
  })
  .meta({ id: "DatabaseConnection" });

/** How clients connect to a database. */
export async function connectionOf(
  db: Tx,
  { id: databaseServiceId, region }: Pick<DatabaseService, "id" | "region">,
): Promise<z.input<typeof connection>> {
  const servers = await db.databaseServer.findMany({
    where: { databaseServiceId, deletedAt: null },
    orderBy: { createdAt: "asc" },
  });
  const master = servers.find(({ replicationSourceId }) => replicationSourceId === null);
  const url = master?.endpoint ? new URL(master.endpoint) : undefined;
  const hosts = servers.flatMap((server) =>
    server !== master && server.endpoint ? [new URL(server.endpoint).hostname] : [],
  );
  const username = master?.username ?? null;
  if (url && username) url.username = username;
  return {
    host: url?.hostname ?? null,
    port: url?.port ? Number(url.port) : null,
    username,
    url: url?.href ?? null,
    tls_bundle: tlsBundleOf(region),
    replicas: hosts,
  };
}

function tlsBundleOf(region: string): string {
  const [, bundle = TLS_BUNDLES[""]] = Object.entries(TLS_BUNDLES).find(([start]) => region.startsWith(start)) ?? [];
  return bundle;
}
