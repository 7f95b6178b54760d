import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EC2Client, paginateDescribeInstanceTypeOfferings } from "@aws-sdk/client-ec2";
import {
  paginateDescribeDBEngineVersions,
  paginateDescribeOrderableDBInstanceOptions,
  RDSClient,
} from "@aws-sdk/client-rds";
import { aws } from "../support/account.js";
import { awsEndpoint } from "../support/stack.js";

const root = join(import.meta.dirname, "../..");
const ENGINES = ["postgres", "mysql", "aurora-postgresql", "aurora-mysql"];

/** What the demo, the guides, the examples and the defaults name. The decisions and the changelog speak of the past. */
const FILES = [
  "README.md",
  "CONTRIBUTING.md",
  "scripts/demo.ts",
  "docker/compose.yaml",
  "apps/api/src/resources/compute-flavors/compute-flavor.rules.ts",
  ...filesIn("docs"),
  ...filesIn("examples", { recursive: false }),
  ...filesIn("scripts/smoke-aws"),
];

function filesIn(folder: string, { recursive = true } = {}): string[] {
  const names = readdirSync(join(root, folder), { recursive, encoding: "utf8" });
  return names
    .filter((name) => /\.(md|ts|sh|py|mjs|json|yaml)$/.test(name) && !name.startsWith("adr"))
    .map((name) => join(folder, name));
}

const FLAVOR = /(?<![\w.])(?:db\.)?[a-z]\d[a-z]{0,3}\.(?:nano|micro|small|medium|\d*x?large)\b/g;
const VERSION = /engine: "([\w-]+)",\s*version: "([\d.]+)"/g;

// The default of a cloud whose offers have not been read: the specification observed it.
const OBSERVED = new Set(["m3.medium"]);

let flavors: Set<string>;
const versions = new Map<string, Set<string>>();

beforeAll(async () => {
  const account = await aws.createAccount();
  await aws.setCatalogue("today", account);
  const settings = { endpoint: awsEndpoint, region: "us-east-1", credentials: account };
  const [ec2, rds] = [new EC2Client(settings), new RDSClient(settings)];
  const names: string[] = [];
  for await (const page of paginateDescribeInstanceTypeOfferings({ client: ec2, pageSize: 1000 }, {})) {
    names.push(...(page.InstanceTypeOfferings ?? []).map(({ InstanceType = "" }) => InstanceType));
  }
  for (const Engine of ENGINES) {
    const known = new Set<string>();
    for await (const page of paginateDescribeDBEngineVersions({ client: rds, pageSize: 100 }, { Engine })) {
      for (const { EngineVersion = "", MajorEngineVersion = "" } of page.DBEngineVersions ?? []) {
        known.add(EngineVersion).add(MajorEngineVersion);
      }
    }
    versions.set(Engine, known);
    const options = paginateDescribeOrderableDBInstanceOptions({ client: rds, pageSize: 1000 }, { Engine });
    for await (const page of options) {
      names.push(...(page.OrderableDBInstanceOptions ?? []).map(({ DBInstanceClass = "" }) => DBInstanceClass));
    }
  }
  flavors = new Set(names);
});

describe.each(FILES)("%s", (file) => {
  const text = readFileSync(join(root, file), "utf8");

  it("uses only flavors and database versions that AWS offers today", () => {
    const named = (text.match(FLAVOR) ?? []).filter((flavor) => !OBSERVED.has(flavor));
    expect(named.filter((flavor) => !flavors.has(flavor))).toEqual([]);
    const missing = [...text.matchAll(VERSION)].filter(([, engine = "", version = ""]) => {
      return !versions.get(engine)?.has(version);
    });
    expect(missing.map(([found]) => found)).toEqual([]);
  });
});

it("recognizes flavors and versions of the past", () => {
  expect("m1.small t3.medium db.m3.medium".match(FLAVOR)).toEqual(["m1.small", "t3.medium", "db.m3.medium"]);
  expect([flavors.has("db.m3.medium"), flavors.has("t3.medium"), flavors.has("db.t4g.medium")]).toEqual([
    false,
    true,
    true,
  ]);
  expect(versions.get("postgres")?.has("9.6.3")).toBe(false);
});
