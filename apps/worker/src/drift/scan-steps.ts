import type { ComparedColumn, ComparedType } from "@gantry/resources";
import { describeInstance, isTerminated } from "../aws/ec2/describe-instance.js";
import { describeVolume } from "../aws/ec2/volume.js";
import { describeDbInstance, endpointOf } from "../aws/rds/instance-state.js";
import { taggedKinds } from "../aws/tagged-objects.js";
import { databaseVersionsStep } from "./database-versions.js";
import { firewallRulesStep } from "./firewall-rules.js";
import { offersStep } from "./offers-step.js";
import { orphanStep } from "./orphan-step.js";
import { isChanging, pendingDatabaseChangesStep } from "./pending-database-changes.js";
import { type Description, recordStep } from "./record-step.js";
import type { ScanStep } from "./scan-step.js";

const descriptions: { [Type in ComparedType]: Description<ComparedColumn<Type>> } = {
  server: {
    async describe(aws, cloudId) {
      const instance = await describeInstance(cloudId)(aws);
      if (!instance || isTerminated(instance)) return undefined;
      return {
        state: instance.state,
        private_hostname: instance.privateHostname,
        public_hostname: instance.publicHostname,
      };
    },
  },
  volume: {
    async describe(aws, cloudId) {
      const volume = await describeVolume(cloudId)(aws);
      return volume && !/^delet/.test(volume.state) ? { state: volume.state } : undefined;
    },
  },
  database_server: {
    reads: ["engine", "pending"],
    async describe(aws, cloudId, { engine, pending, state = null, endpoint = null, version = null }) {
      const database = await describeDbInstance(cloudId)(aws);
      if (!database || database.status === "deleting") return undefined;
      // The step before follows what RDS was asked to change.
      const isFollowed = pending != null && isChanging(database.status);
      const { status, version: shown = version } = database;
      const observed = isFollowed ? { state, version } : { state: status, version: shown };
      return { ...observed, endpoint: database.address ? endpointOf(engine ?? "", database) : endpoint };
    },
  },
};

/** The steps of a scan of a region, in their order. */
export const scanSteps: readonly ScanStep[] = [
  pendingDatabaseChangesStep,
  ...Object.entries(descriptions).map(([type, description]) => recordStep(type as ComparedType, description)),
  databaseVersionsStep,
  firewallRulesStep,
  ...taggedKinds.map(orphanStep),
  offersStep,
];
