import { CreateOrUpdateTagsCommand } from "@aws-sdk/client-auto-scaling";
import { CreateTagsCommand, CreateVpcCommand } from "@aws-sdk/client-ec2";
import { CreateRoleCommand } from "@aws-sdk/client-iam";
import { CreateDBSubnetGroupCommand } from "@aws-sdk/client-rds";
import { awsClients, startAws } from "../../testing.js";

let aws: Awaited<ReturnType<typeof startAws>>;
let clients: ReturnType<typeof awsClients>;

beforeAll(async () => {
  aws = await startAws();
  clients = awsClients(aws.endpoint, await aws.control.createAccount());
});
afterAll(() => aws.stop());

type Tags = { Key: string; Value: string }[];
const many = (count: number) => Array.from({ length: count }, (_, i) => ({ Key: `key-${i}`, Value: "" }));
const one = (Key: string, Value = "") => [{ Key, Value }];

const vpc = (Tags: Tags) =>
  clients.ec2.send(
    new CreateVpcCommand({ CidrBlock: "10.0.0.0/16", TagSpecifications: [{ ResourceType: "vpc", Tags }] }),
  );
const retag = (Tags: Tags) => clients.ec2.send(new CreateTagsCommand({ Resources: ["vpc-1"], Tags }));
const role = (Tags: Tags) =>
  clients.iam.send(new CreateRoleCommand({ RoleName: "r", AssumeRolePolicyDocument: "{}", Tags }));
const subnets = (Tags: Tags) =>
  clients.rds.send(
    new CreateDBSubnetGroupCommand({
      DBSubnetGroupName: "g",
      DBSubnetGroupDescription: "g",
      SubnetIds: ["subnet-1"],
      Tags,
    }),
  );
const group = (tags: Tags) =>
  clients.autoScaling.send(
    new CreateOrUpdateTagsCommand({
      Tags: tags.map((tag) => ({ ...tag, ResourceId: "g", ResourceType: "auto-scaling-group" })),
    }),
  );

it.each([
  ["EC2, at a creation: AWS's prefix", () => vpc(one("aws:x")), "InvalidParameterValue"],
  ["EC2, at a creation: AWS's prefix in capitals", () => vpc(one("AWS:x")), "InvalidParameterValue"],
  ["EC2, at a creation: too many", () => vpc(many(51)), "TagLimitExceeded"],
  ["EC2, later: a long key", () => retag(one("k".repeat(129))), "InvalidParameterValue"],
  ["EC2, later: a long value", () => retag(one("k", "v".repeat(257))), "InvalidParameterValue"],
  ["IAM: keys that differ in case", () => role([...one("k"), ...one("K")]), "InvalidInput"],
  ["IAM: AWS's prefix", () => role(one("aws:x")), "InvalidInput"],
  ["RDS: its own prefix", () => subnets(one("rds:x")), "InvalidParameterValue"],
  ["RDS: another character", () => subnets(one("k#")), "InvalidParameterValue"],
  ["Auto Scaling: AWS's prefix", () => group(one("aws:x")), "ValidationError"],
])("refuses tags as AWS does (%s)", async (_, call, code) => {
  const refused = await call().then(
    () => undefined,
    (error: { name: string; Code?: string }) => error.Code ?? error.name,
  );
  expect(refused?.replace(/Exception$/, "")).toBe(code);
});

it("accepts as many tags as AWS does, with a key of EC2's characters", async () => {
  const { Vpc } = await vpc([...many(49), { Key: "#", Value: "v" }]);
  expect(Vpc?.Tags).toHaveLength(50);
});
