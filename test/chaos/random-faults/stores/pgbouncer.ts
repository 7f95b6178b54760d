import { chownSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort, ownedFolder, postgresOwner, startProcess, toComponent } from "@gantry/local-stack";
import { installDebianPackage } from "../../../support/debian-package.js";
import { singleStores } from "./single.js";
import { type StoreOptions, type Stores, supervised } from "./stores.js";

const PROGRAM = "/usr/sbin/pgbouncer";

/** PostgreSQL behind PgBouncer in transaction mode. Kills of PostgreSQL hit the two by turns. */
export async function pgbouncerStores(options: StoreOptions): Promise<Stores> {
  const problem = installDebianPackage("pgbouncer", PROGRAM);
  if (problem) throw new Error(problem);
  const stores = await singleStores(options);
  const port = await freePort();
  const direct = new URL(stores.appUrl);
  const appUrl = new URL(stores.appUrl);
  appUrl.port = String(port);
  appUrl.searchParams.set("pgbouncer", "true");
  const launch = async () => {
    const owner = postgresOwner();
    const folder = ownedFolder(join(options.folder, "pgbouncer"), owner);
    const write = (name: string, lines: string[]) => {
      const file = join(folder, name);
      writeFileSync(file, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
      if (owner) chownSync(file, owner.uid, owner.gid);
      return file;
    };
    const users = write("users.txt", [`"${direct.username}" "${direct.password}"`]);
    const configuration = write("pgbouncer.ini", [
      "[databases]",
      `gantry = host=127.0.0.1 port=${direct.port} dbname=gantry`,
      "[pgbouncer]",
      "pool_mode = transaction",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = scram-sha-256",
      `auth_file = ${users}`,
      "max_client_conn = 500",
      "default_pool_size = 40",
      "server_login_retry = 1",
      "query_wait_timeout = 10",
    ]);
    const running = await startProcess({
      name: "pgbouncer",
      command: PROGRAM,
      args: [configuration],
      environment: options.environment,
      cwd: folder,
      logFile: join(options.folder, "pgbouncer.log"),
      signal: "SIGINT",
      owner,
      ready: () => reachable(port),
    });
    return supervised(toComponent(appUrl.href, running));
  };
  let kills = 0;
  return {
    ...stores,
    appUrl,
    settings: { DATABASE_DIRECT_URL: direct.href },
    servers: { ...stores.servers, pgbouncer: launch },
    victims: { ...stores.victims, postgres: async () => (kills++ % 2 === 0 ? "pgbouncer" : "postgres") },
  };
}

function reachable(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}
