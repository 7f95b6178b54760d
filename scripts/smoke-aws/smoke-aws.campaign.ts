import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CreateVolumeCommand, EC2Client } from "@aws-sdk/client-ec2";
import { aws } from "../../test/support/account.js";
import { type LiveGantry, startLiveGantry } from "../../test/support/live.js";
import { awsEndpoint } from "../../test/support/stack.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

let gantry: LiveGantry;
let provider: Awaited<ReturnType<LiveGantry["addProvider"]>>;
let folder: string;
beforeAll(async () => {
  gantry = await startLiveGantry();
  provider = await gantry.addProvider();
  const discovery = await gantry.owner.put(`${provider.path}/locations/discover`);
  await gantry.done(discovery);
  folder = mkdtempSync(join(tmpdir(), "gantry-smoke-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gantry.close();
});

function start(...options: string[]): { child: ChildProcess; output: () => string } {
  const program = ["--conditions=gantry-source", "--import", "tsx", "scripts/smoke-aws.ts"];
  const child = spawn(process.execPath, [...program, "--provider", String(provider.providerId), ...options], {
    cwd: root,
    env: {
      ...process.env,
      GANTRY_URL: gantry.url,
      GANTRY_TOKEN: gantry.owner.token,
      AWS_ENDPOINT_URL: awsEndpoint,
      AWS_ACCESS_KEY_ID: provider.keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: provider.keys.secretAccessKey,
      NO_COLOR: "1",
    },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += chunk));
  return { child, output: () => text };
}

async function run(...options: string[]): Promise<{ code: number; output: string }> {
  const { child, output } = start(...options);
  const [code] = await once(child, "close");
  return { code, output: output() };
}

/** The objects in the provider's AWS account, as the emulator lists them. */
async function objects() {
  const found = Object.entries(await aws.inventory(provider.keys));
  return Object.fromEntries(found.filter(([, { length }]) => length > 0));
}

it("provisions, changes and removes one of each resource, leaves nothing and records masked answers", async () => {
  const { code, output } = await run("--fixtures", folder);
  expect([code, output]).toEqual([0, expect.stringContaining("Every step succeeded, and nothing remains in AWS.")]);
  for (const type of [
    "instance_update",
    "snapshot_server",
    "update_auto_scaling_group",
    "modify_server",
    "modify_volume",
    "modify_database_server",
    "rotate_database_credentials",
    "deprovision_database_service",
  ]) {
    expect(output).toContain(type);
  }
  expect(await objects()).toEqual({});
  const text = (name: string) => readFileSync(join(folder, `${name}.json`), "utf8");
  expect(JSON.parse(text("DescribeInstances")).Reservations.length).toBeGreaterThan(0);
  expect(JSON.parse(text("DescribeDBInstances")).DBInstances).toHaveLength(1);
  const all = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("");
  for (const secret of [gantry.owner.accountId, provider.keys.accessKeyId, provider.keys.accountId]) {
    expect(all).not.toContain(secret);
  }
});

it("stops and removes everything when it has cost as much as allowed", async () => {
  const { code, output } = await run("--dollars", "0.000001");
  expect([code, output]).toEqual([1, expect.stringContaining("would cost more than")]);
  expect(await objects()).toEqual({});
});

it("removes everything after an interrupt, and sweeps what Gantry does not know but nothing of others", async () => {
  const account = { "gantry:account": gantry.owner.accountId };
  const kept = [await createVolume({ ...account, "gantry:request": randomUUID() })];
  const { child, output } = start("--sweep");
  let isInterrupted = false;
  child.stdout?.on("data", async () => {
    if (isInterrupted || !output().includes("Stop and start")) return;
    isInterrupted = true;
    const { id } = await gantry.api.db.request.findFirstOrThrow({ where: { parentId: null }, orderBy: { id: "desc" } });
    kept.push(await createVolume({ ...account, "gantry:request": randomUUID() }));
    await createVolume({ ...account, "gantry:request": id });
    child.kill("SIGINT");
  });
  const [code] = await once(child, "close");
  expect([code, output()]).toEqual([1, expect.stringContaining("the run was interrupted")]);
  expect(output()).toContain("The run left 1 objects in AWS");
  expect(await objects()).toEqual({ volume: kept.map((id) => expect.objectContaining({ id })) });
});

async function createVolume(tags: Record<string, string>): Promise<string | undefined> {
  const { accessKeyId, secretAccessKey } = provider.keys;
  const credentials = { accessKeyId, secretAccessKey };
  const ec2 = new EC2Client({ endpoint: awsEndpoint, region: "us-east-1", credentials });
  const Tags = Object.entries({ Name: "made by a test", ...tags }).map(([Key, Value]) => ({ Key, Value }));
  const { VolumeId } = await ec2.send(
    new CreateVolumeCommand({
      AvailabilityZone: "us-east-1a",
      Size: 1,
      VolumeType: "gp3",
      TagSpecifications: [{ ResourceType: "volume", Tags }],
    }),
  );
  return VolumeId;
}
