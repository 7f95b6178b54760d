import { randomUUID } from "node:crypto";
import { type AwsResponse, textResponse } from "../aws-response.js";
import { type Call, listParam } from "../call.js";
import type { Catalogue } from "./catalogue.js";
import { CERTIFICATE_AUTHORITIES } from "./certificate-authorities.js";

/** Answers a call about offers in place of the emulator, which does not implement it, or not its filters and pages. */
export type CatalogueAnswer = (call: Call, catalogue: Catalogue) => AwsResponse;

const RDS = "http://rds.amazonaws.com/doc/2014-10-31/";
const EC2 = "http://ec2.amazonaws.com/doc/2016-11-15/";

/** An element of a response: its name and its text, or its children. */
type Element = [name: string, content: string | number | boolean | Element[]];

const offerings: CatalogueAnswer = (call, catalogue) => {
  const byZone = call.params.LocationType === "availability-zone";
  const filters = filtersOf(call, "Filter", "Value");
  const types = filters.get("instance-type")?.map(wildcard);
  const locations = filters.get("location");
  const rows: Element[] = [];
  for (const [type, zones] of catalogue.zonesByType()) {
    if (types && !types.some((pattern) => pattern.test(type))) continue;
    for (const location of byZone ? zones : [call.region]) {
      if (locations && !locations.includes(location)) continue;
      const locationType = byZone ? "availability-zone" : "region";
      rows.push([
        "item",
        [
          ["instanceType", type],
          ["locationType", locationType],
          ["location", location],
        ],
      ]);
    }
  }
  const { MaxResults = "1000", NextToken } = call.params;
  const { page, next } = pageOf(rows, Number(MaxResults), NextToken);
  const body: Element[] = [["instanceTypeOfferingSet", page]];
  if (next) body.push(["nextToken", next]);
  return respond(`${call.action}Response`, EC2, [["requestId", randomUUID()], ...body]);
};

const engineVersions: CatalogueAnswer = (call, catalogue) => {
  const { Engine, EngineVersion, MaxRecords = "100", Marker } = call.params;
  const engines = Engine ? [Engine] : (filtersOf(call, "Filters.Filter", "Values.Value").get("engine") ?? []);
  const rows = engines.flatMap((engine) => versionsOf(engine, catalogue.engineVersions(engine)));
  const named = rows.filter(([, version]) => !EngineVersion || version === EngineVersion).map(([element]) => element);
  return respondRds(call, "DBEngineVersions", pageOf(named, Number(MaxRecords), Marker));
};

function versionsOf(engine: string, versions: string[]): [element: Element, version: string][] {
  return versions.map((version) => {
    const major = majorOf(engine, version);
    const later = versions.slice(versions.indexOf(version) + 1);
    const newest = versions.filter((other) => majorOf(engine, other) === major && !other.includes("-")).at(-1);
    const targets = later.map((other): Element => {
      const isMajor = majorOf(engine, other) !== major;
      return [
        "UpgradeTarget",
        [
          ["Engine", engine],
          ["EngineVersion", other],
          ["AutoUpgrade", !isMajor && other === newest],
          ["IsMajorVersionUpgrade", isMajor],
        ],
      ];
    });
    return [
      [
        "DBEngineVersion",
        [
          ["Engine", engine],
          ["EngineVersion", version],
          ["MajorEngineVersion", major],
          ["DBParameterGroupFamily", `${engine}${major}`],
          ["DBEngineDescription", engine],
          ["Status", "available"],
          ["ValidUpgradeTarget", targets],
          ["SupportedCACertificateIdentifiers", CERTIFICATE_AUTHORITIES.map((id): Element => ["member", id])],
          ["SupportsCertificateRotationWithoutRestart", Number(major) >= (engine.includes("postgres") ? 13 : 8)],
        ],
      ],
      version,
    ];
  });
}

const orderableOptions: CatalogueAnswer = (call, catalogue) => {
  const { Engine = "", EngineVersion, DBInstanceClass, MaxRecords = "100", Marker } = call.params;
  const version = EngineVersion ?? catalogue.engineVersions(Engine).at(-1) ?? "";
  const zones = [...new Set([...catalogue.zonesByType().values()].flat())].sort();
  const rows = catalogue
    .databaseOptions(Engine, version)
    .filter(({ className }) => !DBInstanceClass || className === DBInstanceClass)
    .map(({ className, storageType, isEncryptable }): Element => {
      const availabilityZones = zones.map((zone): Element => ["AvailabilityZone", [["Name", zone]]]);
      return [
        "OrderableDBInstanceOption",
        [
          ["Engine", Engine],
          ["EngineVersion", version],
          ["DBInstanceClass", className],
          ["AvailabilityZones", availabilityZones],
          ["MultiAZCapable", !Engine.startsWith("aurora")],
          ["Vpc", true],
          ["StorageType", storageType],
          ["SupportsStorageEncryption", isEncryptable],
        ],
      ];
    });
  return respondRds(call, "OrderableDBInstanceOptions", pageOf(rows, Number(MaxRecords), Marker));
};

/** The calls about offers, by service and action. */
export const catalogueAnswers: Record<string, Record<string, CatalogueAnswer>> = {
  ec2: { DescribeInstanceTypeOfferings: offerings },
  rds: { DescribeDBEngineVersions: engineVersions, DescribeOrderableDBInstanceOptions: orderableOptions },
};

/** The major version as RDS counts it: PostgreSQL has one part since version 10, MySQL two. */
export function majorOf(engine: string, version: string): string {
  const [first = "", second = ""] = version.split(".");
  const isOnePart = engine.endsWith("postgresql") || engine === "postgres";
  return isOnePart && Number(first) >= 10 ? first : `${first}.${second}`;
}

function filtersOf({ params }: Call, prefix: string, values: string): Map<string, string[]> {
  const filters = new Map<string, string[]>();
  for (let n = 1; params[`${prefix}.${n}.Name`] !== undefined; n++) {
    filters.set(params[`${prefix}.${n}.Name`] ?? "", listParam(params, `${prefix}.${n}.${values}`));
  }
  return filters;
}

/** A filter's value in which `*` matches any text and `?` any character. */
function wildcard(value: string): RegExp {
  const escaped = value.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`);
}

function pageOf<T>(rows: T[], size: number, token: string | undefined): { page: T[]; next: string | undefined } {
  const start = Number(token ?? 0);
  const end = start + size;
  return { page: rows.slice(start, end), next: end < rows.length ? String(end) : undefined };
}

function respondRds({ action }: Call, list: string, { page, next }: ReturnType<typeof pageOf<Element>>): AwsResponse {
  const result: Element[] = [[list, page]];
  if (next) result.push(["Marker", next]);
  const metadata: Element = ["ResponseMetadata", [["RequestId", randomUUID()]]];
  return respond(`${action}Response`, RDS, [[`${action}Result`, result], metadata]);
}

function respond(root: string, namespace: string, content: Element[]): AwsResponse {
  const xml = `<${root} xmlns="${namespace}">${content.map(render).join("")}</${root}>`;
  return textResponse(200, "text/xml;charset=UTF-8", xml);
}

function render([name, content]: Element): string {
  const inner = Array.isArray(content) ? content.map(render).join("") : String(content);
  return `<${name}>${inner}</${name}>`;
}
