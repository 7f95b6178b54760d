import type { Gantry, Plan, RequestHandle } from "@gantry/client";
import colors from "picocolors";
import { follow } from "./demo-progress.js";

type Modify<Input> = ((id: string | number, input: Input) => Promise<RequestHandle>) & {
  plan(id: string | number, input: Input): Promise<Plan>;
};

/** Changes what the first day has built, each change after its plan: a server, a disk, a database and its password; and restores the database. */
export async function changeWhatStands(client: Gantry, printHeading: (sentence: string) => void): Promise<void> {
  const [server] = await client.servers.list({ role: "db_master" }).toArray({ max: 1 });
  const [disk] = await client.volumes.list({ server: String(server?.id), mount: "/data" }).toArray({ max: 1 });
  const [database] = await client.databaseServers.list().toArray({ max: 1 });
  if (!server || !disk || !database) throw new Error("The first day has not built what the second one changes.");

  printHeading(`Giving server ${server.id} another flavor`);
  await change(client.servers.modify, server.id, { server: { flavor: "t3.large" } });
  printHeading(`Growing the disk of its data from ${disk.size} to ${disk.size * 2} GB`);
  await change(client.volumes.modify, disk.id, { volume: { size: disk.size * 2 } });
  const { file_system_size: filled } = await client.volumes.get(disk.id);
  console.log(`  its file system fills ${filled} GB`);
  printHeading(`Giving database ${database.id} more storage and a copy in another zone`);
  const more = { storage: database.storage * 2, multi_az: true };
  await change(client.databaseServers.modify, database.id, { database_server: more });
  printHeading(`Upgrading it from PostgreSQL ${database.version} to 17`);
  await change(client.databaseServers.modify, database.id, { database_server: { version: "17" } });
  printHeading("Rotating its password");
  const [service] = await client.databaseServices.list().toArray({ max: 1 });
  const rotated = await client.databaseServices.rotateCredentials(service?.id ?? "");
  await timed(() => follow([rotated]));
  printHeading("Restoring its latest backup into a new database");
  const restore = await client.databaseServices.restore(service?.id ?? "", { restore: { latest: true } });
  const [restored] = await timed(() => follow([restore]));
  await follow([await client.databaseServices.delete(restored, { final_snapshot: false })]);
}

async function change<Input>(modify: Modify<Input>, id: string | number, input: Input): Promise<void> {
  const { changes = [], estimate } = await modify.plan(id, input);
  for (const { field, from, to, effect, away_seconds: away } of changes) {
    const time = away ? ` Usually away for ${away.least} to ${away.most} s.` : "";
    console.log(`  ${colors.bold(`${field} ${from} → ${to}`)}  ${effect}${time}`);
  }
  if (estimate?.monthly_usd_change !== undefined)
    console.log(`  $${estimate.monthly_usd_change.toFixed(2)} a month more`);
  await timed(async () => follow([await modify(id, input)]));
}

async function timed<Result>(work: () => Promise<Result>): Promise<Result> {
  const startedAt = Date.now();
  const result = await work();
  console.log(`  took ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  return result;
}
