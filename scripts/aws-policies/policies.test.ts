import { join } from "node:path";
import { SESSION_POLICY } from "@gantry/aws-facts";
import { BOUNDARY } from "./boundary.js";
import { operationsIn, readOperations } from "./operations.js";
import { assertSize, providerPolicies } from "./policies.js";

const operations = readOperations(join(import.meta.dirname, "../../apps/worker/src"));

it("reads the operations of a source by the commands and paginators that it imports", () => {
  const source = `import { type Vpc, CreateVpcCommand, DeleteVpcCommand as Delete } from "@aws-sdk/client-ec2";
    import { paginateDescribePolicies, SuspendProcessesCommand } from "@aws-sdk/client-auto-scaling";`;
  const ofScaling = ["autoscaling:DescribePolicies", "autoscaling:SuspendProcesses"];
  expect(operationsIn(source, "x.ts")).toEqual(["ec2:CreateVpc", "ec2:DeleteVpc", ...ofScaling]);
  expect(operations.length).toBeGreaterThan(100);
});

it.each([
  ["a waiter", 'import { waitUntilVpcExists } from "@aws-sdk/client-ec2";'],
  ["a whole client", 'import * as ec2 from "@aws-sdk/client-ec2";'],
])("refuses a source that imports %s, which hides its operations", (_name, source) => {
  expect(() => operationsIn(source, "x.ts")).toThrow(/^x\.ts imports/);
});

it("refuses a call that no statement allows, and accepts a read without a line", () => {
  expect(() => providerPolicies([...operations, "ec2:CreateVpcEndpoint"])).toThrow(
    /\nec2:CreateVpcEndpoint is called but in no statement/,
  );
  const { "gantry-servers": policy } = providerPolicies([...operations, "ec2:DescribeVpcEndpoints"]);
  expect(policy?.Statement.find(({ Sid }) => Sid === "Read")?.Action).toContain("ec2:DescribeVpcEndpoints");
});

it("refuses an allowed action that nothing calls, and a call of a service without a policy", () => {
  expect(() => providerPolicies(operations.filter((action) => action !== "ec2:DeleteVpc"))).toThrow(
    /\nec2:DeleteVpc is in a statement but nothing calls it/,
  );
  expect(() => providerPolicies([...operations, "sqs:ListQueues"])).toThrow(
    /sqs:ListQueues belongs to a service without/,
  );
});

it("refuses a policy that is too long for AWS", () => {
  const [statement] = BOUNDARY.Statement;
  const long = { ...BOUNDARY, Statement: Array(5).fill(statement) };
  expect(() => assertSize("x", long)).toThrow(/^x has \d+ characters, but AWS accepts at most 6144/);
});

it("has sessions of a provider's role admit all that its policies allow, within AWS's 2,048 characters", () => {
  const admitted = SESSION_POLICY.Statement.flatMap(({ Action }) => Action);
  const admits = (action: string) =>
    admitted.some((pattern) => (pattern.endsWith("*") ? action.startsWith(pattern.slice(0, -1)) : action === pattern));
  const allowed = Object.values(providerPolicies(operations)).flatMap(({ Statement }) =>
    Statement.filter(({ Effect }) => Effect === "Allow").flatMap(({ Action }) => Action),
  );
  expect(allowed.length).toBeGreaterThan(100);
  expect(allowed.filter((action) => !admits(action))).toEqual([]);
  const exact = admitted.filter((action) => !action.endsWith("*"));
  expect(exact.filter((action) => !allowed.includes(action))).toEqual([]);
  expect(JSON.stringify(SESSION_POLICY).length).toBeLessThanOrEqual(2048);
});
