import { setTimeout as sleep } from "node:timers/promises";
import type { AwsControl } from "@gantry/local-stack";
import { applyFaultProfile } from "./fault-profiles.js";
import type { Fault } from "./fault-schedule.js";
import type { Fleet } from "./fleet.js";

/** How long a call to AWS takes in the middle of which a worker is to be caught, and how often one is looked for. */
const CALL_MS = 3000;
const CALL_TRIES = 30;
const CREATES: readonly string[] = [
  "CreateVpc",
  "CreateSubnet",
  "CreateSecurityGroup",
  "RunInstances",
  "CreateVolume",
  "CreateDBInstance",
];

/** Does a harm; false where it could not be done. `seed` draws which calls a weather hits. */
export async function injectFault(fleet: Fleet, fault: Fault, seed: number): Promise<boolean> {
  if (fault.kind === "freeze") return fleet.freeze(await creatingWorker(fleet.aws));
  if (fault.kind === "kill") await fleet.kill(fault.victim);
  if (fault.kind === "flush") await fleet.flush();
  if (fault.kind === "weather") await applyFaultProfile(fleet.aws, fault.weather, seed);
  return true;
}

/** A worker that is having something made, for which AWS takes its time; nobody's name where none does. */
async function creatingWorker(aws: AwsControl): Promise<string> {
  const rules = await Promise.all(CREATES.map((action) => aws.delay(action, CALL_MS, { times: 1 })));
  let found: string | undefined;
  for (let tries = 0; tries < CALL_TRIES && !found; tries++) {
    await sleep(CALL_MS / CALL_TRIES);
    const calls = await aws.calls({ outcome: "running" });
    found = calls.find(({ action }) => CREATES.includes(action))?.app;
  }
  await Promise.all(rules.map((id) => aws.clear({ id })));
  return found ?? "";
}
