import { randomBytes } from "node:crypto";
import type { Gantry } from "./gantry.js";

/** The smallest sizes that AWS has: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html */
const FLAVOR = "t3.micro";
const DATABASE = { engine: "postgres", version: "16", flavor: "db.t4g.micro", storage: 20 };

/** An environment keeps its last application server otherwise. */
const FORCE = "?force=true";

export interface Target {
  account: string;
  provider: number;
  region: string;
  /** Unique to the run. */
  name: string;
}

/** Provisions one resource of each kind of Gantry, changes it, and checks what its record says. */
export async function runSteps(gantry: Gantry, target: Target, heading: (sentence: string) => void): Promise<void> {
  const { account, provider, region, name } = target;

  heading("Network with a subnet in each zone");
  const networkPath = await gantry.provision("/networks", {
    provider,
    network: { cidr: "10.77.0.0/16", location: region },
  });
  const network = idOf(networkPath);
  const { subnets } = await gantry.get<{ subnets: { id: string; location: string }[] }>(
    `/subnets?network=${network}&per_page=100`,
  );
  for (const { id } of subnets) gantry.removeLater(`/subnets/${id}`);

  heading("IAM role");
  await gantry.provision("/iam_roles", {
    provider,
    iam_role: { name, policy: "EFSBackupPolicy", user_managed_policy: true },
  });

  heading("Server with a data disk, in an environment");
  const application = await gantry.record<{ id: number }>(`/accounts/${account}/applications`, "application", {
    application: { name, type: "rails4", repository: "git@example.com:smoke.git" },
  });
  const { id: environment } = await gantry.record<{ id: number }>(`/accounts/${account}/environments`, "environment", {
    network,
    environment: { name, application_id: application.id },
  });
  const disks = { flavor: FLAVOR, volume_size: 1, volume_type: "gp3" };
  const server = await gantry.provision("/servers", { environment, server: { role: "app_master", ...disks } }, FORCE);
  await expectState(gantry, server, "running");

  heading("Stop and start of the server");
  await gantry.change("POST", `${server}/stop`);
  await expectState(gantry, server, "stopped");
  await gantry.change("POST", `${server}/start`);
  await expectState(gantry, server, "running");

  heading("Snapshot of its data disk, restored as the disk of a second server");
  const taken = await gantry.change("POST", `${server}/snapshot`);
  const { snapshots } = await gantry.get<{ snapshots: TakenSnapshot[] }>(`${server}/snapshots/${taken.id}`);
  for (const { id } of snapshots) gantry.removeLater(`/snapshots/${id}`);
  const snapshot = await findDataSnapshot(gantry, snapshots);
  const restored = { role: "util", name: "restored", ...disks };
  const second = await gantry.provision("/servers", { environment, snapshot: snapshot.id, server: restored }, FORCE);
  await expectState(gantry, second, "running");

  heading("Scaling group around the server: one, two and one instance");
  const sizes = { minimum_size: 1, maximum_size: 2 };
  const group = await gantry.provision("/auto_scaling_groups", { environment, auto_scaling_group: sizes });
  for (const desired_capacity of [2, 1]) {
    await gantry.change("PUT", group, { auto_scaling_group: { ...sizes, desired_capacity } });
    const { auto_scaling_group: record } = await gantry.get<{ auto_scaling_group: { desired_capacity: number } }>(
      group,
    );
    expectEqual(`${group} desired_capacity`, record.desired_capacity, desired_capacity);
  }

  heading("Database");
  const zone = subnets.map(({ location }) => location).sort()[0];
  const database = { provider, network, environment, database_service: { name } };
  const body = { ...database, database_server: { ...DATABASE, location: zone } };
  await gantry.provision("/database-services", body, "?final_snapshot=false");
}

interface TakenSnapshot {
  id: number;
  volume: string;
}

async function findDataSnapshot(gantry: Gantry, snapshots: TakenSnapshot[]): Promise<TakenSnapshot> {
  for (const snapshot of snapshots) {
    const { volume } = await gantry.get<{ volume: { mount: string | null } }>(snapshot.volume);
    if (volume.mount === "/data") return snapshot;
  }
  throw new Error("The server's Request took no snapshot of its data disk");
}

async function expectState(gantry: Gantry, path: string, state: string): Promise<void> {
  const { server } = await gantry.get<{ server: { state: string } }>(path);
  expectEqual(`${path} state`, server.state, state);
}

function expectEqual<T>(what: string, value: T, expected: T): void {
  if (value !== expected) throw new Error(`${what} is ${value}, but should be ${expected}`);
}

/** A name of which AWS has none yet. */
export function uniqueName(): string {
  return `gantry-smoke-${randomBytes(4).toString("hex")}`;
}

function idOf(path: string): string {
  return path.split("/").at(-1) ?? "";
}
