import {
  type DBEngineVersion,
  paginateDescribeDBEngineVersions,
  paginateDescribeOrderableDBInstanceOptions,
} from "@aws-sdk/client-rds";
import {
  compareVersions,
  DATABASE_ENGINES,
  type DatabaseClassOffer,
  type DatabaseOffers,
  type EngineVersion,
} from "@gantry/aws-facts";
import type { Aws } from "../clients.js";

/**
 * The versions of each database engine, and the classes on which its newest default version runs in the region: two calls
 * for the versions, and up to two for each engine's classes.
 */
export async function readDatabaseOffers(aws: Aws): Promise<DatabaseOffers> {
  const found = await readVersions(aws);
  const offers: DatabaseOffers = {};
  for (const engine of DATABASE_ENGINES) {
    const versions = engineVersions(found.filter(({ Engine }) => Engine === engine));
    const newest = versions.filter(({ isDefault }) => isDefault).at(-1);
    if (newest) offers[engine] = { versions, classes: await readClasses(aws, engine, newest.version) };
  }
  return offers;
}

async function readVersions({ rds }: Aws): Promise<DBEngineVersion[]> {
  const query = { Filters: [{ Name: "engine", Values: [...DATABASE_ENGINES] }] };
  const versions: DBEngineVersion[] = [];
  for await (const page of paginateDescribeDBEngineVersions({ client: rds, pageSize: 100 }, query)) {
    versions.push(...(page.DBEngineVersions ?? []));
  }
  return versions;
}

// A suffix such as "-rds.20260514" names a version in extended support, "-limitless" one of another product.
function engineVersions(found: DBEngineVersion[]): EngineVersion[] {
  const plain = found.filter(({ EngineVersion = "" }) => EngineVersion && !EngineVersion.includes("-"));
  const upgraded = new Set(
    plain.flatMap(({ ValidUpgradeTarget = [] }) =>
      ValidUpgradeTarget.filter((target) => target.AutoUpgrade).map((target) => target.EngineVersion ?? ""),
    ),
  );
  const known = new Set(plain.map(({ EngineVersion }) => EngineVersion));
  const versions = plain.map(
    ({ EngineVersion: version = "", MajorEngineVersion: major = "", ValidUpgradeTarget = [], ...certificates }) => {
      const upgrades = ValidUpgradeTarget.map((target) => target.EngineVersion ?? "").filter((name) => known.has(name));
      const { SupportedCACertificateIdentifiers, SupportsCertificateRotationWithoutRestart } = certificates;
      return {
        ...{ version, major, upgrades },
        certificateAuthorities: SupportedCACertificateIdentifiers ?? [],
        changesCertificateRunning: SupportsCertificateRotationWithoutRestart ?? false,
      };
    },
  );
  versions.sort((a, b) => compareVersions(a.version, b.version));
  const defaults = new Map<string, string>();
  // RDS moves instances with minor upgrades to a major version's default; a major version without one has its newest.
  for (const { version, major } of versions) {
    const former = defaults.get(major);
    if (former === undefined || upgraded.has(version) || !upgraded.has(former)) defaults.set(major, version);
  }
  return versions.map((each) => ({ ...each, isDefault: defaults.get(each.major) === each.version }));
}

async function readClasses({ rds }: Aws, Engine: string, EngineVersion: string) {
  const classes: Record<string, DatabaseClassOffer> = {};
  const query = { Engine, EngineVersion, Vpc: true };
  for await (const page of paginateDescribeOrderableDBInstanceOptions({ client: rds, pageSize: 1000 }, query)) {
    for (const option of page.OrderableDBInstanceOptions ?? []) {
      const { DBInstanceClass: name = "", AvailabilityZones: zones = [], StorageType: storageType = "" } = option;
      if (name === "db.serverless") continue;
      const offer = classes[name] ?? { zones: [], storageTypes: [], isEncryptable: false };
      classes[name] = {
        zones: [...new Set([...offer.zones, ...zones.map(({ Name = "" }) => Name)])].sort(),
        storageTypes: [...new Set([...offer.storageTypes, storageType])].sort(),
        isEncryptable: offer.isEncryptable || (option.SupportsStorageEncryption ?? false),
      };
    }
  }
  return classes;
}
