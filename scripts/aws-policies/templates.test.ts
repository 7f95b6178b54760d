import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "@cdktf/hcl2json";
import { IAM_POLICIES } from "@gantry/aws-facts";
import { emulatorHome } from "@gantry/local-stack";
import { ALLOWED_POLICY_ARNS } from "../../apps/api/src/resources/iam-roles/iam-role.policies.js";
import { BOUNDARY } from "./boundary.js";

const root = join(import.meta.dirname, "../..");
const TEMPLATE = join(root, "docs/aws/gantry-role.cloudformation.json");
const scratch = mkdtempSync(join(tmpdir(), "gantry-policies-"));
afterAll(() => rmSync(scratch, { recursive: true }));

it("ships a CloudFormation template in which cfn-lint finds no fault", async () => {
  const wrong = join(scratch, "wrong.json");
  writeFileSync(wrong, readFileSync(TEMPLATE, "utf8").replace('"Effect": "Allow"', '"Effect": "Alow"'));
  // One run for both, since cfn-lint takes seconds to start.
  const faults = await lint(TEMPLATE, wrong);
  expect(faults).toMatch(/E3510/);
  expect(faults).not.toContain(TEMPLATE);
});

it("ships a Terraform file that HashiCorp's parser reads, with the policies of the template", async () => {
  const terraform = await parse("gantry-role.tf", readFileSync(join(root, "docs/aws/gantry-role.tf"), "utf8"));
  const { Resources } = JSON.parse(readFileSync(TEMPLATE, "utf8"));
  const ofTemplate = Object.values(Resources as Record<string, { Properties: TemplateProperties }>).flatMap(
    ({ Properties: { ManagedPolicyName: name, PolicyDocument } }) =>
      name ? [[name, sidsAndActions(PolicyDocument as Document)] as const] : [],
  );
  const policies = terraform.resource.aws_iam_policy as Record<string, [{ name: string; policy: string }]>;
  const ofTerraform = Object.values(policies).map(([{ name, policy }]) => {
    const document = /^\$\{jsonencode\((.*)\)\}$/s.exec(policy)?.[1] ?? "";
    return [name, sidsAndActions(JSON.parse(document))] as const;
  });
  expect(ofTerraform.length).toBe(4);
  expect(ofTerraform.sort()).toEqual(ofTemplate.sort());
  await expect(parse("wrong.tf", 'resource "aws_iam_role" {')).rejects.toThrow(/Unclosed configuration block/);
});

it("lets a bounded role do all that its possible policies allow", async () => {
  const allowed = [
    ...Object.values(IAM_POLICIES).flatMap(({ Statement }) => Statement.flatMap(({ Action }) => Action)),
    ...(await managedActions([...ALLOWED_POLICY_ARNS].map((arn) => arn.split("/").at(-1) ?? ""))),
  ];
  expect(allowed.length).toBeGreaterThan(100);
  const bounds = BOUNDARY.Statement.flatMap(({ Action }) => Action);
  // A bound covers a name with fewer wildcards if it is the same or a wider prefix.
  const covered = (action: string) =>
    bounds.some((bound) => (bound.endsWith("*") ? action.startsWith(bound.slice(0, -1)) : action === bound));
  expect(allowed.filter((action) => !covered(action))).toEqual([]);
});

interface Document {
  Statement: { Sid: string; Action: string[] }[];
}
interface TemplateProperties {
  ManagedPolicyName?: string;
  PolicyDocument?: Document;
}

function sidsAndActions({ Statement }: Document) {
  return Statement.map(({ Sid, Action }) => [Sid, Action]);
}

/** The Python of the emulator's environment, which has cfn-lint and a copy of AWS's managed policies. */
function python(code: string, ...args: string[]): Promise<{ stdout: string }> {
  const interpreter = join(emulatorHome(join(root, ".gantry/python")), "bin/python");
  return promisify(execFile)(interpreter, ["-c", code, ...args], { cwd: scratch, maxBuffer: 2 ** 24 });
}

async function lint(...files: string[]): Promise<string> {
  const run = python("from cfnlint.runner import main; main()", ...files);
  const { stdout } = await run.catch((error: { code: unknown; stdout: string }) => {
    // This exit code reports faults in the file; anything else is a failure to run.
    if (typeof error.code !== "number") throw error;
    return error;
  });
  return stdout;
}

async function managedActions(names: string[]): Promise<string[]> {
  const code = `
import json, sys
from moto.iam.aws_managed_policies import aws_managed_policies_data as data
policies = json.loads(data)
statements = [s for name in sys.argv[1:] for s in policies[name]["Document"]["Statement"] if s["Effect"] == "Allow"]
actions = [a for s in statements for a in (s["Action"] if isinstance(s["Action"], list) else [s["Action"]])]
print(json.dumps(actions))`;
  return JSON.parse((await python(code, ...names)).stdout);
}
