import { isDeepStrictEqual } from "node:util";
import { GP3_DEFAULTS } from "@gantry/aws-facts";
import type { ComparedColumn, ComparedType } from "@gantry/resources";
import { type AwsGroup, describeGroup, sizesOf } from "../aws/auto-scaling/group.js";
import { found } from "../aws/aws-errors.js";
import { describeInstance, isTerminated } from "../aws/ec2/describe-instance.js";
import { describeVersion } from "../aws/ec2/template-versions.js";
import { describeVolume, hasSettings, latestModification, type VolumeState } from "../aws/ec2/volume.js";
import { attachedArns, describeRole, inlinePolicy } from "../aws/iam/role-changes.js";
import {
  type DbInstanceState,
  describeDbInstance,
  endpointOf,
  type InstanceSettings,
  settingsOf,
} from "../aws/rds/instance-state.js";
import { taggedKinds } from "../aws/tagged-objects.js";
import { certificateAuthoritiesStep } from "./certificate-authorities.js";
import type { Values } from "./compared-records.js";
import { databaseMastersStep } from "./database-masters.js";
import { firewallRulesStep } from "./firewall-rules.js";
import { offersStep } from "./offers-step.js";
import { orphanStep } from "./orphan-step.js";
import { isChanging, pendingDatabaseChangesStep } from "./pending-database-changes.js";
import { type Description, recordStep } from "./record-step.js";
import type { ScanContext, ScanStep } from "./scan-step.js";

const descriptions: { [Type in ComparedType]: Description<ComparedColumn<Type>> } = {
  server: {
    async describe(aws, cloudId) {
      const instance = await describeInstance(cloudId)(aws);
      if (!instance || isTerminated(instance)) return undefined;
      return {
        state: instance.state,
        private_hostname: instance.privateHostname,
        public_hostname: instance.publicHostname,
        flavor: instance.flavor,
      };
    },
  },
  volume: {
    async describe(aws, cloudId, record) {
      const volume = await describeVolume(cloudId)(aws);
      if (!volume || /^delet/.test(volume.state)) return undefined;
      const { shown, recorded, wanted } = comparedVolumeSettings(record, volume);
      if (isDeepStrictEqual(shown, recorded)) return { state: volume.state, ...recorded };
      return async (call) => {
        const latest = await call(latestModification(cloudId));
        const isComing = latest?.state === "modifying" && hasSettings(latest.target, wanted);
        return { state: volume.state, ...(isComing ? recorded : shown) };
      };
    },
  },
  database_server: {
    reads: ["engine", "pending", "replication_source_id"],
    async describe(aws, cloudId, record) {
      const database = await describeDbInstance(cloudId)(aws);
      if (!database || database.status === "deleting") return undefined;
      const { engine, pending, state = null, endpoint = null } = record;
      // The step before follows what RDS was asked to change.
      const isFollowed = pending != null && isChanging(database.status);
      return {
        ...comparedDatabaseSettings(record, isFollowed ? undefined : database),
        state: isFollowed ? state : database.status,
        endpoint: database.address ? endpointOf(engine ?? "", database) : endpoint,
      };
    },
  },
  auto_scaling_group: {
    async describe(aws, cloudId, record) {
      const group = await describeGroup(cloudId)(aws);
      if (!group) return undefined;
      const { minimumSize, maximumSize, desiredCapacity } = sizesOf(group);
      const sizes = {
        minimum_size: String(minimumSize),
        maximum_size: String(maximumSize),
        desired_capacity: String(desiredCapacity),
      };
      return async (call) => ({ ...sizes, flavor: await flavorOf(call, group, record.flavor ?? null) });
    },
  },
  iam_role: {
    reads: ["name", "user_managed_policy"],
    describeAlone:
      (cloudId, { name, policy = null, policy_arn: arn = null, ...record }) =>
      async (call) => {
        const role = await call(describeRole(name ?? ""));
        // Another role of the name has another id.
        if (role?.id !== cloudId) return undefined;
        const attached = await call(attachedArns(name ?? ""));
        if (!attached) return undefined;
        // A policy of its own is an object beside the role, as one of an ARN is.
        const isInline = policy !== null && record.user_managed_policy !== "true";
        return {
          assume_role_policy_document: documentText(role.trust, record.assume_role_policy_document ?? null),
          policy: isInline ? documentText(await call(inlinePolicy(name ?? "")), policy) : policy,
          policy_arn: arn !== null && attached.includes(arn) ? arn : (attached[0] ?? null),
        };
      },
  },
};

/** A document as a text: the recorded one if it says the same. */
function documentText(shown: object | null, recorded: string | null): string | null {
  if (recorded !== null && isDeepStrictEqual(shown, JSON.parse(recorded))) return recorded;
  return shown && JSON.stringify(shown);
}

/**
 * The flavor that a group launches; the recorded one if it is of the app master or the group no longer has a launch template.
 * AWS shows the former version until it has replaced the instances. Costs a call: AWS describes one template at a time.
 */
async function flavorOf(
  call: ScanContext["call"],
  { LaunchTemplate }: AwsGroup,
  recorded: string | null,
): Promise<string | null> {
  const { LaunchTemplateId: id, Version: version = "$Default" } = LaunchTemplate ?? {};
  if (recorded === null || !id) return recorded;
  const described = await call((aws) => found(describeVersion(id, version)(aws), /^InvalidLaunchTemplate/));
  return described?.flavor || recorded;
}

/** The settings of a volume as AWS shows them and as the record has them, and what AWS would be making of the record's. */
function comparedVolumeSettings(record: Values, volume: VolumeState) {
  const { size_gb = null, volume_type = null, iops = null, throughput = null } = record;
  const recorded = { size_gb, volume_type, iops, throughput };
  // A record has null for what AWS gives to every volume of the type; only io1 and io2 have no such IOPS.
  const isDefault = (name: keyof typeof GP3_DEFAULTS) =>
    volume.volumeType === "gp3" ? volume[name] === GP3_DEFAULTS[name] : !volume.volumeType.startsWith("io");
  const speedOf = (name: keyof typeof GP3_DEFAULTS) =>
    record[name] === null && isDefault(name) ? null : textOf(volume[name]);
  const shown = {
    size_gb: String(volume.sizeGb),
    volume_type: volume.volumeType,
    iops: speedOf("iops"),
    throughput: speedOf("throughput"),
  };
  const numberOf = (value: string | null) => (value === null ? null : Number(value));
  const speed = { iops: numberOf(iops), throughput: numberOf(throughput) };
  return { shown, recorded, wanted: { sizeGb: Number(size_gb), volumeType: volume_type ?? "", ...speed } };
}

/** The settings of a database server as RDS shows them or is about to make them; without a description those of the record. */
function comparedDatabaseSettings(record: Values, database: DbInstanceState | undefined) {
  const shown = database && settingsOf(database);
  const value = (column: string, name: keyof InstanceSettings) => {
    const recorded = record[column] ?? null;
    const isComing = database?.pending[name] !== undefined && textOf(database.pending[name]) === recorded;
    return shown?.[name] === undefined || isComing ? recorded : textOf(shown[name]);
  };
  // A replica's record has the period of its master, whose backups it is restored with.
  const { replication_source_id: source, backup_retention_period: period = null } = record;
  return {
    version: value("version", "version"),
    flavor: value("flavor", "flavor"),
    storage_gb: value("storage_gb", "storageGb"),
    storage_type: value("storage_type", "storageType"),
    // Null for those that RDS gives.
    iops: record.iops == null ? null : value("iops", "iops"),
    multi_az: value("multi_az", "multiAz"),
    // The step before gives it to a record that has none.
    certificate_authority:
      record.certificate_authority == null ? null : value("certificate_authority", "certificateAuthority"),
    backup_retention_period: source == null ? value("backup_retention_period", "backupRetentionPeriod") : period,
  };
}

function textOf(value: string | number | boolean | null | undefined): string | null {
  return value == null ? null : String(value);
}

/** The steps of a scan of a region, in their order. */
export const scanSteps: readonly ScanStep[] = [
  pendingDatabaseChangesStep,
  certificateAuthoritiesStep,
  ...Object.entries(descriptions).map(([type, description]) => recordStep(type as ComparedType, description)),
  databaseMastersStep,
  firewallRulesStep,
  ...taggedKinds.map(orphanStep),
  offersStep,
];
