import { randomBytes } from "node:crypto";
import type { Gantry, Id, Server, Snapshot, Volume } from "@gantry/client";
import type { Run } from "./run.js";

/** The smallest sizes that AWS has: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html */
const FLAVOR = "t3_micro";
const LARGER_FLAVOR = "t3_small";
const DATABASE = { engine: "postgres", version: "16", flavor: "db.t4g.micro", storage: 20 };

export interface Target {
  account: string;
  provider: number;
  region: string;
  /** Unique to the run. */
  name: string;
}

/** Provisions one resource of each kind of Gantry, changes it, and checks what its record says. */
export async function runSteps(run: Run, target: Target, heading: (sentence: string) => void): Promise<void> {
  const { provider, region, name } = target;
  const gantry = run.gantry.as(target.account);
  // An environment keeps its last application server otherwise.
  const servers = { ...gantry.servers, delete: (id: Id) => gantry.servers.delete(id, { force: true }) };
  const databases = {
    ...gantry.databaseServices,
    delete: (id: Id) => gantry.databaseServices.delete(id, { final_snapshot: false }),
  };

  heading("Network with a subnet in each zone");
  const { id: network } = await run.provision("network", gantry.networks, {
    provider,
    network: { cidr: "10.77.0.0/16", location: region },
  });
  const subnets = await gantry.subnets.list({ network }).toArray({ max: 100 });
  for (const { id } of subnets) run.removeLater(`subnet ${id}`, gantry.subnets, id);

  heading("IAM role");
  const role = { name, policy: "EFSBackupPolicy", user_managed_policy: true } as const;
  await run.provision("IAM role", gantry.iamRoles, { provider, iam_role: role });

  heading("Server with a data disk, in an environment");
  const { id: application_id } = await gantry.applications.create({
    application: { name, type: "rails4", repository: "git@example.com:smoke.git" },
  });
  run.removeLater("application", gantry.applications, application_id);
  const { id: environment } = await gantry.environments.create({ network, environment: { name, application_id } });
  run.removeLater("environment", gantry.environments, environment);
  const disks = { flavor: FLAVOR, volume_size: 1, volume_type: "gp3" } as const;
  const server = await run.provision("server", servers, { environment, server: { role: "app_master", ...disks } });
  await expectState(gantry, server, "running");

  heading("Stop and start of the server");
  await run.change(() => gantry.servers.stop(server));
  await expectState(gantry, server, "stopped");
  await run.change(() => gantry.servers.start(server));
  await expectState(gantry, server, "running");

  heading("Another flavor for the server, a larger data disk, and back to the flavor");
  await run.change(() => gantry.servers.modify(server, { server: { flavor: LARGER_FLAVOR } }));
  expectEqual("the server's flavor", (await gantry.servers.get(server)).flavor.id, LARGER_FLAVOR);
  const disk = await findDataDisk(gantry, server);
  await run.change(() => gantry.volumes.modify(disk, { volume: { size: 2 } }));
  expectEqual("the file system's size", (await gantry.volumes.get(disk)).file_system_size, 2);
  await run.change(() => gantry.servers.modify(server, { server: { flavor: FLAVOR } }));
  await expectState(gantry, server, "running");

  heading("Snapshot of its data disk, restored as the disk of a second server");
  const taken = await run.change(() => gantry.servers.snapshot(server));
  const snapshots = await gantry.servers.getSnapshot(server, taken).toArray({ max: 100 });
  for (const { id } of snapshots) run.removeLater(`snapshot ${id}`, gantry.snapshots, id);
  const snapshot = await findDataSnapshot(gantry, snapshots);
  const restored = { role: "util", name: "restored", ...disks } as const;
  const second = await run.provision("second server", servers, {
    environment,
    snapshot: snapshot.id,
    server: restored,
  });
  await expectState(gantry, second, "running");

  heading("Scaling group around the server: one, two and one instance");
  const sizes = { minimum_size: 1, maximum_size: 2 };
  const groups = gantry.autoScalingGroups;
  const group = await run.provision("scaling group", groups, { environment, auto_scaling_group: sizes });
  for (const desired_capacity of [2, 1]) {
    await run.change(() => groups.update(group, { auto_scaling_group: { ...sizes, desired_capacity } }));
    expectEqual("the desired capacity", (await groups.get(group)).desired_capacity, desired_capacity);
  }

  heading("Database");
  const [location = ""] = subnets.map((subnet) => subnet.location).sort();
  const database = await run.provision("database", databases, {
    provider,
    network,
    environment,
    database_service: { name },
    database_server: { ...DATABASE, location },
  });

  heading("Other windows and a new password for the database");
  const [master] = await gantry.databaseServers.list({ database_service: database.id }).toArray({ max: 1 });
  if (!master) throw new Error("The database has no server");
  const backup_window = { start_time: { hour: "05", minute: "15" }, duration: 0.5 };
  await run.change(() => gantry.databaseServers.modify(master, { database_server: { backup_window } }));
  const { start } = (await gantry.databaseServers.get(master)).backup_window;
  expectEqual("the backup window's start", `${start.hour}:${start.minute}`, "05:15");
  const { password } = await gantry.databaseServices.get(database);
  await run.change(() => gantry.databaseServices.rotateCredentials(database));
  const rotated = await gantry.databaseServices.get(database);
  if (!rotated.password || rotated.password === password) throw new Error("The database has its former password");
}

async function findDataDisk(gantry: Gantry, server: Server): Promise<Volume> {
  const volumes = await gantry.volumes.list({ server: `${server.id}` }).toArray({ max: 100 });
  const disk = volumes.find(({ mount }) => mount === "/data");
  if (!disk) throw new Error("The server has no data disk");
  return disk;
}

async function findDataSnapshot(gantry: Gantry, snapshots: Snapshot[]): Promise<Snapshot> {
  for (const snapshot of snapshots) if ((await gantry.volumes.get(snapshot.volume)).mount === "/data") return snapshot;
  throw new Error("The server's Request took no snapshot of its data disk");
}

async function expectState(gantry: Gantry, server: Server, state: string): Promise<void> {
  expectEqual(`the state of server ${server.id}`, (await gantry.servers.get(server)).state, state);
}

function expectEqual<T>(what: string, value: T, expected: T): void {
  if (value !== expected) throw new Error(`${what} is ${value}, but should be ${expected}`);
}

/** A name of which AWS has none yet. */
export function uniqueName(): string {
  return `gantry-smoke-${randomBytes(4).toString("hex")}`;
}
