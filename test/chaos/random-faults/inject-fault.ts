import { setTimeout as sleep } from "node:timers/promises";
import type { AwsControl } from "@gantry/local-stack";
import { applyFaultProfile } from "./fault-profiles.js";
import type { Fault } from "./fault-schedule.js";
import type { Fleet } from "./fleet.js";

/** The delay of create calls while a worker is searched in the middle of one. */
const CALL_MS = 3000;
const CHECK_MS = 100;
/** The number of looks for a create call. */
const CHECKS = 100;
const CREATES: readonly string[] = [
  "CreateVpc",
  "CreateSubnet",
  "CreateSecurityGroup",
  "RunInstances",
  "CreateVolume",
  "CreateDBInstance",
];

/** Injects a fault; returns false if it was impossible. `seed` draws the calls that a profile affects. */
export async function injectFault(fleet: Fleet, fault: Fault, seed: number): Promise<boolean> {
  if (fault.kind === "freeze") return fleet.freeze(await creatingWorker(fleet.aws));
  if (fault.kind === "kill") await fleet.kill(fault.target);
  if (fault.kind === "flush") await fleet.flush();
  if (fault.kind === "queue act") await fleet.actOnQueue(fault.act);
  if (fault.kind === "fault profile") await applyFaultProfile(fleet.aws, fault.profile, seed);
  return true;
}

/** The name of a worker during a create call, which is slowed down; empty if there is none. */
async function creatingWorker(aws: AwsControl): Promise<string> {
  const rules = await Promise.all(CREATES.map((action) => aws.delay(action, CALL_MS, { times: 1 })));
  let found: string | undefined;
  for (let check = 0; check < CHECKS && !found; check++) {
    await sleep(CHECK_MS);
    const calls = await aws.calls({ outcome: "running" });
    found = calls.find(({ action }) => CREATES.includes(action))?.app;
  }
  await Promise.all(rules.map((id) => aws.clear({ id })));
  return found ?? "";
}
