import type { ComparedColumn, ComparedType } from "@gantry/resources";
import { describeInstance, isTerminated } from "../aws/ec2/describe-instance.js";
import { describeVolume } from "../aws/ec2/volume.js";
import { describeDbInstance, endpointOf } from "../aws/rds/instance-state.js";
import { taggedKinds } from "../aws/tagged-objects.js";
import { databaseVersionsStep } from "./database-versions.js";
import { firewallRulesStep } from "./firewall-rules.js";
import { offersStep } from "./offers-step.js";
import { orphanStep } from "./orphan-step.js";
import { type Description, recordStep } from "./record-step.js";
import type { ScanStep } from "./scan-step.js";

const descriptions: { [Type in ComparedType]: Description<ComparedColumn<Type>> } = {
  server: {
    async describe(aws, cloudId) {
      const seen = await describeInstance(cloudId)(aws);
      if (!seen || isTerminated(seen)) return undefined;
      return { state: seen.state, private_hostname: seen.privateHostname, public_hostname: seen.publicHostname };
    },
  },
  volume: {
    async describe(aws, cloudId) {
      const seen = await describeVolume(cloudId)(aws);
      return seen && !/^delet/.test(seen.state) ? { state: seen.state } : undefined;
    },
  },
  database_server: {
    reads: ["engine"],
    async describe(aws, cloudId, { engine, endpoint = null, version = null }) {
      const seen = await describeDbInstance(cloudId)(aws);
      if (!seen || seen.status === "deleting") return undefined;
      const observed = { state: seen.status, version: seen.version ?? version };
      return { ...observed, endpoint: seen.address ? endpointOf(engine ?? "", seen) : endpoint };
    },
  },
};

/** The steps of a scan of a region, in their order. */
export const scanSteps: readonly ScanStep[] = [
  ...Object.entries(descriptions).map(([type, description]) => recordStep(type as ComparedType, description)),
  databaseVersionsStep,
  firewallRulesStep,
  ...taggedKinds.map(orphanStep),
  offersStep,
];
