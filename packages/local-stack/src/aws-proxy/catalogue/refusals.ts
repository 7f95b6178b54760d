import type { AwsError } from "../aws-response.js";
import { type Call, listParam } from "../call.js";
import { all, text, type Xml } from "../xml.js";
import { majorOf } from "./answers.js";
import type { Catalogue } from "./catalogue.js";

/** The context of a check: the call, the offers for it, and queries as its caller. */
export interface RefusalContext {
  call: Call;
  catalogue: Catalogue;
  read(service: string, params: Record<string, string>): Promise<Xml>;
  zoneOf(subnet: string): Promise<string>;
}

type Refusal = (context: RefusalContext) => Promise<AwsError | undefined>;

const runInstances: Refusal = async ({ call, catalogue, zoneOf }) => {
  const {
    InstanceType,
    SubnetId,
    "NetworkInterface.1.SubnetId": other,
    "Placement.AvailabilityZone": named,
  } = call.params;
  const subnet = SubnetId ?? other;
  if (!InstanceType) return undefined;
  const zone = named ?? (subnet && (await zoneOf(subnet)));
  const message = notInZone(catalogue, InstanceType, zone ? [zone] : []);
  return message ? { code: "Unsupported", message } : undefined;
};

/** Sentences: pulumi-aws issue 4291 (July 2024), and EC2's for RunInstances; the codes: botocore 1.44.5. */
const modifyInstance: Refusal = async ({ call, catalogue, read }) => {
  const { InstanceId = "", Attribute, Value } = call.params;
  const type = call.params["InstanceType.Value"] ?? (Attribute === "instanceType" ? Value : undefined);
  if (!type) return undefined;
  const code = "InvalidInstanceAttributeValue";
  if (!catalogue.zonesByType().has(type)) return { code, message: `Invalid value '${type}' for InstanceType.` };
  const [instance] = await instancesOf(read, [InstanceId]);
  const former = text(instance, "instanceType");
  if (!former) return undefined;
  const [old, wanted] = await Promise.all([former, type].map((name) => architecturesOf(read, name)));
  const message = `Modifying the instance type from ${former} to ${type} is not allowed.`;
  return wanted?.some((architecture) => old?.includes(architecture)) ? undefined : { code, message };
};

/** EC2 looks for a type in the instance's zone when the instance starts, not when it changes. */
const startInstances: Refusal = async ({ call, catalogue, read }) => {
  const instances = await instancesOf(read, listParam(call.params, "InstanceId"));
  const messages = instances.map((instance) =>
    notInZone(catalogue, text(instance, "instanceType"), [text(instance, "placement", "availabilityZone")]),
  );
  const message = messages.find(Boolean);
  return message ? { code: "Unsupported", message } : undefined;
};

async function instancesOf(read: RefusalContext["read"], ids: string[]): Promise<Xml[]> {
  const named = Object.fromEntries(ids.map((id, index) => [`InstanceId.${index + 1}`, id]));
  const found = await read("ec2", { Action: "DescribeInstances", ...named });
  return all(found, "reservationSet", "item", "instancesSet", "item");
}

async function architecturesOf(read: RefusalContext["read"], type: string): Promise<Xml[]> {
  const found = await read("ec2", { Action: "DescribeInstanceTypes", "InstanceType.1": type });
  return all(found, "instanceTypeSet", "item", "processorInfo", "supportedArchitectures", "item");
}

const createGroup: Refusal = async ({ call, catalogue, read, zoneOf }) => {
  const id = call.params["LaunchTemplate.LaunchTemplateId"];
  const subnets = call.params.VPCZoneIdentifier?.split(",").filter(Boolean) ?? [];
  if (!id || subnets.length === 0) return undefined;
  const found = await read("ec2", { Action: "DescribeLaunchTemplateVersions", LaunchTemplateId: id });
  const type = text(all(found, "launchTemplateVersionSet", "item").at(-1), "launchTemplateData", "instanceType");
  const message = type && notInZone(catalogue, type, await Promise.all(subnets.map(zoneOf)));
  return message
    ? { code: "ValidationError", message: `You must use a valid fully-formed launch template. ${message}` }
    : undefined;
};

/** The sentence with which AWS refuses an instance type in a zone. Sources: public issues that quote it, as of 2026. */
function notInZone(catalogue: Catalogue, type: string, zones: string[]): string | undefined {
  const offered = catalogue.zonesByType().get(type);
  if (!offered) return "The requested configuration is currently not supported. Please check the documentation.";
  const missing = zones.find((zone) => !offered.includes(zone));
  return missing
    ? `Your requested instance type (${type}) is not supported in your requested Availability Zone (${missing}). Please retry your request by not specifying an Availability Zone or choosing ${offered.join(", ")}.`
    : undefined;
}

const createDatabase: Refusal = async ({ call, catalogue }) => {
  const { Engine = "", EngineVersion, DBInstanceClass, StorageType } = call.params;
  const versions = catalogue.engineVersions(Engine);
  if (EngineVersion && !versions.some((known) => known === EngineVersion || known.startsWith(`${EngineVersion}.`))) {
    return { code: "InvalidParameterCombination", message: `Cannot find version ${EngineVersion} for ${Engine}` };
  }
  if (!DBInstanceClass) return undefined;
  const options = catalogue.databaseOptions(Engine, EngineVersion ?? versions.at(-1) ?? "");
  const isOffered = options.some(
    ({ className, storageType }) =>
      className === DBInstanceClass && (StorageType === undefined || storageType === StorageType),
  );
  if (isOffered) return undefined;
  const combination = `DBInstanceClass=${DBInstanceClass}, Engine=${Engine}, EngineVersion=${EngineVersion}`;
  const message = `RDS does not support creating a DB instance with the following combination: ${combination}`;
  return { code: "InvalidParameterCombination", message };
};

/** Sentences: public issues that quote RDS's refusals of ModifyDBInstance, 2016 to 2026. */
const modifyDatabase: Refusal = async ({ call, catalogue, read }) => {
  const { DBInstanceIdentifier = "", DBInstanceClass, StorageType, EngineVersion } = call.params;
  if (!DBInstanceClass && !StorageType && !EngineVersion) return undefined;
  const found = await read("rds", { Action: "DescribeDBInstances", DBInstanceIdentifier });
  const [instance] = all(found, "DBInstances", "DBInstance");
  if (!instance) return undefined;
  const [engine, version] = [text(instance, "Engine"), text(instance, "EngineVersion")];
  const upgrade = EngineVersion && checkUpgrade(call, catalogue, { engine, version });
  if (upgrade) return upgrade;
  const className = DBInstanceClass ?? text(instance, "DBInstanceClass");
  const isOffered = catalogue
    .databaseOptions(engine, version)
    .some((option) => option.className === className && (!StorageType || option.storageType === StorageType));
  const combination = `DBInstanceClass=${className}, Engine=${engine}, EngineVersion=${version}, LicenseModel=${text(instance, "LicenseModel")}`;
  const message = `RDS does not support creating a DB instance with the following combination: ${combination}. For supported combinations of instance class and database engine version, see the documentation.`;
  const isChanged = DBInstanceClass || StorageType;
  return isOffered || !isChanged ? undefined : { code: "InvalidParameterCombination", message };
};

const modifyCluster: Refusal = async ({ call, catalogue, read }) => {
  const { DBClusterIdentifier = "", EngineVersion } = call.params;
  if (!EngineVersion) return undefined;
  const found = await read("rds", { Action: "DescribeDBClusters", DBClusterIdentifier });
  const [cluster] = all(found, "DBClusters", "DBCluster");
  const from = { engine: text(cluster, "Engine"), version: text(cluster, "EngineVersion") };
  return cluster ? checkUpgrade(call, catalogue, from) : undefined;
};

/** The targets of an upgrade are those that DescribeDBEngineVersions names: all later versions. */
function checkUpgrade(
  { params }: Call,
  catalogue: Catalogue,
  from: { engine: string; version: string },
): AwsError | undefined {
  const { EngineVersion = "", AllowMajorVersionUpgrade } = params;
  const { engine, version } = from;
  const versions = catalogue.engineVersions(engine);
  const last = (name: string) => versions.findLastIndex((known) => known === name || known.startsWith(`${name}.`));
  const code = "InvalidParameterCombination";
  if (last(EngineVersion) < 0) return { code, message: `Cannot find version ${EngineVersion} for ${engine}` };
  if (EngineVersion === version || last(EngineVersion) === last(version)) return undefined;
  if (last(EngineVersion) < last(version)) {
    return { code, message: `Cannot upgrade ${engine} from ${version} to ${EngineVersion}` };
  }
  const isMajor =
    majorOf(engine, versions[last(EngineVersion)] ?? "") !== majorOf(engine, versions[last(version)] ?? "");
  const message = "The AllowMajorVersionUpgrade flag must be present when upgrading to a new major version.";
  return isMajor && AllowMajorVersionUpgrade !== "true" ? { code, message } : undefined;
}

/** The calls that AWS refuses if it does not offer what they ask for, by service and action. */
export const catalogueRefusals: Record<string, Record<string, Refusal>> = {
  autoscaling: { CreateAutoScalingGroup: createGroup },
  ec2: { ModifyInstanceAttribute: modifyInstance, RunInstances: runInstances, StartInstances: startInstances },
  rds: {
    CreateDBCluster: createDatabase,
    CreateDBInstance: createDatabase,
    ModifyDBCluster: modifyCluster,
    ModifyDBInstance: modifyDatabase,
  },
};
