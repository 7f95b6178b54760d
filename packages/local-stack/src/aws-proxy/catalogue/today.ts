import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { sitePackages } from "../site-packages.js";

/** What AWS offers by the dated copies of its data in the emulator's Python environment. */
export interface TodaysOffers {
  /** The zones of each instance type in a region. */
  zonesByType(region: string): Map<string, string[]>;
  /** The versions of a database engine that are in use, oldest first. */
  engineVersions(engine: string): string[];
  /** The classes for a version of an engine in a region. */
  databaseClasses(region: string, engine: string, version: string): string[];
}

/** cfn-lint's conditions: `if` these properties, `then` one of these values. */
interface Condition {
  if?: { properties: Record<string, { const?: string; pattern?: string; enum?: string[] }> };
  then: { properties?: Record<string, { enum?: string[] }> } | boolean;
}

/**
 * Reads what AWS offers: the zones of instance types from moto, which copies them from AWS each month; database
 * versions and classes from cfn-lint, on which moto depends.
 *
 * @param home the folder of the emulator's Python environment
 */
export function readTodaysOffers(home: string): TodaysOffers {
  const packages = sitePackages(home);
  const moto = (file: string) =>
    JSON.parse(gunzipSync(readFileSync(join(packages, "moto/ec2/resources", `${file}.json.gz`))).toString());
  const rules = <T>(file: string): T =>
    JSON.parse(readFileSync(join(packages, "cfnlint/data/schemas/extensions/aws_rds_dbinstance", file), "utf8"));

  const versions = rules<{ allOf: Condition[] }>("engine_version.json").allOf;
  const deprecated = rules<{ allOf: Condition[] }>("engine_version_deprecated.json").allOf;
  const classesByRegion = rules<Record<string, { allOf: Condition[] }>>("dbinstanceclass_enum.json");
  const classesByVersion = rules<{ allOf: Condition[] }>("db_instance_class.json").allOf;

  const zonesByRegion = new Map<string, Map<string, string[]>>();

  return {
    zonesByType: (region) => {
      const known = zonesByRegion.get(region);
      if (known) return known;
      const zones = new Map<string, string[]>();
      zonesByRegion.set(region, zones);
      if (!existsRegion(packages, region)) return zones;
      const offerings: { InstanceType: string; Location: string }[] = moto(
        `instance_type_offerings/availability-zone/${region}`,
      );
      for (const { InstanceType, Location } of offerings) {
        zones.set(InstanceType, [...(zones.get(InstanceType) ?? []), Location]);
      }
      return zones;
    },
    engineVersions: (engine) => {
      const gone = new Set(deprecated.flatMap((each) => (isOf(each, engine) ? conditionValues(each) : [])));
      const known = versions.flatMap((each) => (isOf(each, engine) ? thenValues(each, "EngineVersion") : []));
      const inUse = known.filter(
        (version) => !gone.has(version) && !known.some((other) => other.startsWith(`${version}.`)),
      );
      return inUse.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    },
    databaseClasses: (region, engine, version) => {
      const here = (classesByRegion[region]?.allOf ?? []).filter((each) => isOf(each, engine));
      const inRegion = new Set(here.flatMap((each) => thenValues(each, "DBInstanceClass")));
      const major = version.split(".mysql_aurora")[0] ?? version;
      const ofVersion = classesByVersion.find(
        (each) => isOf(each, engine) && matches(each.if?.properties.EngineVersion?.pattern, major),
      );
      const forVersion = ofVersion ? thenValues(ofVersion, "DBInstanceClass") : [...inRegion];
      return forVersion.filter((name) => inRegion.has(name) && name !== "db.serverless");
    },
  };
}

function existsRegion(packages: string, region: string): boolean {
  const folder = join(packages, "moto/ec2/resources/instance_type_offerings/availability-zone");
  return readdirSync(folder).includes(`${region}.json.gz`);
}

function isOf(condition: Condition, engine: string): boolean {
  return condition.if?.properties.Engine?.const === engine;
}

function thenValues({ then }: Condition, property: string): string[] {
  return (typeof then === "object" && then.properties?.[property]?.enum) || [];
}

function conditionValues(condition: Condition): string[] {
  return condition.if?.properties.EngineVersion?.enum ?? [];
}

function matches(pattern: string | undefined, text: string): boolean {
  return pattern !== undefined && new RegExp(pattern).test(text);
}
