import { CreateAutoScalingGroupCommand } from "@aws-sdk/client-auto-scaling";
import {
  CreateLaunchTemplateCommand,
  DescribeSubnetsCommand,
  paginateDescribeInstanceTypeOfferings,
  RunInstancesCommand,
} from "@aws-sdk/client-ec2";
import {
  CreateDBInstanceCommand,
  paginateDescribeDBEngineVersions,
  paginateDescribeOrderableDBInstanceOptions,
} from "@aws-sdk/client-rds";
import { awsClients, startAws } from "../../testing.js";
import type { CatalogueMode } from "./catalogue.js";

let aws: Awaited<ReturnType<typeof startAws>>;

beforeAll(async () => {
  aws = await startAws();
});
afterAll(() => aws.stop());

async function account(mode: CatalogueMode) {
  const created = await aws.control.createAccount();
  await aws.control.setCatalogue(mode, created);
  return awsClients(aws.endpoint, created);
}

type Clients = Awaited<ReturnType<typeof account>>;

async function collect<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

const zonesOf = async ({ ec2 }: Clients, ...patterns: string[]) => {
  const query = {
    LocationType: "availability-zone" as const,
    Filters: [{ Name: "instance-type", Values: patterns }],
  };
  const pages = await collect(paginateDescribeInstanceTypeOfferings({ client: ec2, pageSize: 7 }, query));
  const offers = pages.flatMap(({ InstanceTypeOfferings = [] }) => InstanceTypeOfferings);
  return offers.map(({ InstanceType, Location }) => `${InstanceType} ${Location}`).sort();
};

const zones = ["a", "b", "c", "d", "e", "f"];

it("offers today what AWS offers in each zone, page by page", async () => {
  const today = await account("today");
  const offered = await zonesOf(today, "t3.medi?m", "m3.med*");
  expect(offered.filter((offer) => offer.startsWith("t3"))).toEqual(
    ["a", "b", "c", "d", "f"].map((zone) => `t3.medium us-east-1${zone}`),
  );
  expect(offered).not.toContain("m3.medium us-east-1d");
});

it("offers the specification's flavors in every zone, with or without today's", async () => {
  const expected = zones.map((zone) => `m3.medium us-east-1${zone}`);
  expect(await zonesOf(await account("specification"), "m3.medium", "t3.*")).toEqual(expected);
  expect(await zonesOf(await account("both"), "m3.medium", "t3.medium")).toHaveLength(6 + 5);
});

const versionsOf = async ({ rds }: Clients) => {
  const filters = [{ Name: "engine", Values: ["postgres", "mysql", "aurora-postgresql", "aurora-mysql"] }];
  const pages = await collect(paginateDescribeDBEngineVersions({ client: rds, pageSize: 50 }, { Filters: filters }));
  return pages.flatMap(({ DBEngineVersions = [] }) => DBEngineVersions);
};

const classesOf = async ({ rds }: Clients, Engine: string, EngineVersion: string) => {
  const pages = await collect(
    paginateDescribeOrderableDBInstanceOptions({ client: rds }, { Engine, EngineVersion, MaxRecords: 1000 }),
  );
  return new Set(
    pages.flatMap(({ OrderableDBInstanceOptions: options = [] }) => options.map((o) => o.DBInstanceClass)),
  );
};

it("lists the database versions and classes that AWS has in use", async () => {
  const today = await account("today");
  const versions = await versionsOf(today);
  const postgres = versions.filter(({ Engine }) => Engine === "postgres");
  const sixteen = postgres.filter(({ MajorEngineVersion }) => MajorEngineVersion === "16");
  expect(sixteen.length).toBeGreaterThan(2);
  expect(new Set(sixteen.map((each) => each.DBParameterGroupFamily))).toEqual(new Set(["postgres16"]));
  expect(postgres.map(({ EngineVersion }) => EngineVersion)).not.toContain("9.6.3");
  const upgrades = sixteen.flatMap(({ ValidUpgradeTarget = [] }) => ValidUpgradeTarget);
  const automatic = upgrades.filter(({ AutoUpgrade }) => AutoUpgrade).map(({ EngineVersion }) => EngineVersion);
  expect(new Set(automatic)).toEqual(new Set([sixteen.at(-1)?.EngineVersion]));
  const classes = await classesOf(today, "postgres", sixteen.at(-1)?.EngineVersion ?? "");
  expect([classes.has("db.t4g.medium"), classes.has("db.m3.medium")]).toEqual([true, false]);
  const old = await account("specification");
  expect((await versionsOf(old)).map(({ EngineVersion }) => EngineVersion)).toContain("9.6.3");
  expect(await classesOf(old, "postgres", "9.6.3")).toContain("db.m3.medium");
});

describe("a call that needs what AWS does not offer today", () => {
  const subnets = async ({ ec2 }: Clients) => {
    const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({}));
    return new Map(Subnets.map(({ AvailabilityZone = "", SubnetId = "" }) => [AvailabilityZone, SubnetId]));
  };
  const run = (InstanceType: "t3.medium" | "m3.medium", SubnetId = "") =>
    new RunInstancesCommand({ ImageId: "ami-03cf127a", InstanceType, SubnetId, MinCount: 1, MaxCount: 1 });

  it("is refused for an instance in a zone without the type", async () => {
    const today = await account("today");
    const subnet = await subnets(today);
    await expect(today.ec2.send(run("t3.medium", subnet.get("us-east-1e")))).rejects.toMatchObject({
      name: "Unsupported",
      message: expect.stringMatching(/t3.medium.*not supported.*us-east-1e.*choosing us-east-1a, us-east-1b/),
    });
    await today.ec2.send(run("t3.medium", subnet.get("us-east-1f")));
    await (await account("both")).ec2.send(run("m3.medium"));
  });

  it("is refused for a group with one such zone", async () => {
    const today = await account("today");
    const { LaunchTemplate } = await today.ec2.send(
      new CreateLaunchTemplateCommand({
        LaunchTemplateName: "template",
        LaunchTemplateData: { ImageId: "ami-03cf127a", InstanceType: "t3.medium" },
      }),
    );
    const subnet = await subnets(today);
    const group = (chosen: string[]) =>
      new CreateAutoScalingGroupCommand({
        AutoScalingGroupName: "group",
        LaunchTemplate: { LaunchTemplateId: LaunchTemplate?.LaunchTemplateId },
        VPCZoneIdentifier: chosen.map((zone) => subnet.get(`us-east-1${zone}`)).join(","),
        ...{ MinSize: 0, MaxSize: 1 },
      });
    await expect(today.autoScaling.send(group(zones))).rejects.toMatchObject({
      name: "ValidationError",
      message: expect.stringMatching(/fully-formed launch template.*us-east-1e/),
    });
    await today.autoScaling.send(group(["a", "f"]));
  });

  it.each([
    ["9.6.3", "db.t4g.medium", /Cannot find version 9.6.3 for postgres/],
    ["16.15", "db.m3.medium", /does not support creating a DB instance with the following combination/],
  ])("is refused for PostgreSQL %s on %s", async (EngineVersion, DBInstanceClass, message) => {
    const { rds } = await account("today");
    const create = new CreateDBInstanceCommand({
      DBInstanceIdentifier: "database",
      ...{ Engine: "postgres", EngineVersion, DBInstanceClass, AllocatedStorage: 20 },
      ...{ MasterUsername: "gantry", MasterUserPassword: "a-long-password" },
    });
    await expect(rds.send(create)).rejects.toMatchObject({ name: "InvalidParameterCombination", message });
  });
});
