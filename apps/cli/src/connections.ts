import type { DatabaseServer, Environment } from "@gantry/client";
import type { Session } from "./session.js";

type Row = Record<string, unknown>;

/** How to connect to the record that a command shows, as far as the API says it; undefined for other records. */
export async function connectionOf(session: Session, noun: string, record: Row): Promise<Row | undefined> {
  if (noun === "servers") return toServer(session, record);
  if (noun === "database-servers") return toDatabase(record as DatabaseServer);
  if (noun === "database-services") {
    const {
      host,
      tls_bundle: bundle,
      replicas,
      ...others
    } = await session.gantry.databaseServices.connection(`${record.id}`);
    if (!host) return { host: "none yet" };
    return { host, ...others, "tls bundle": bundle, ...(replicas.length > 0 && { replicas: replicas.join(", ") }) };
  }
  return undefined;
}

async function toServer(session: Session, record: Row): Promise<Row | undefined> {
  const { public_hostname: host, ssh_port: port, environment } = record;
  if (typeof host !== "string" || typeof environment !== "string") return undefined;
  const { body } = await session.gantry.call("GET", `/environments/${environment.split("/").at(-1)}`);
  const { username } = (body as { environment: Environment }).environment;
  return { ssh: `ssh ${username}@${host} -p ${port}` };
}

function toDatabase({ endpoint, username }: Partial<DatabaseServer>): Row {
  if (!endpoint) return { host: "none yet" };
  const { protocol, hostname, port, pathname } = new URL(endpoint);
  const user = username ? `${encodeURIComponent(username)}@` : "";
  return {
    host: hostname,
    port,
    user: username,
    database: decodeURIComponent(pathname.slice(1)),
    url: `${protocol}//${user}${hostname}${port ? `:${port}` : ""}${pathname}`,
  };
}
