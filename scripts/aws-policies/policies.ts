import { NOT_CALLED, POLICIES, STATEMENTS, type StatementRule } from "@gantry/aws-facts";

type Condition = Record<string, Record<string, string | string[]>>;

export interface Statement {
  Sid: string;
  Effect: "Allow" | "Deny";
  Action: string[];
  Resource: string[];
  Condition?: Condition;
}

export interface Policy {
  Version: "2012-10-17";
  Statement: Statement[];
}

/** AWS's limit of a managed policy, in characters without white space. */
const MAX_SIZE = 6144;
const READ = /:(Describe|Get|List|Simulate)/;

/**
 * The managed policies of a provider's role, by name: what the operations need and nothing else.
 *
 * @throws Error with a line for each operation that no statement allows, and for each allowed action without a call
 */
export function providerPolicies(operations: readonly string[]): Record<string, Policy> {
  const called = new Set(operations);
  const listed = new Set(STATEMENTS.flatMap(({ actions }) => actions));
  const reads = operations.filter((action) => READ.test(action) && !listed.has(action));
  const problems = [
    ...operations
      .filter((action) => !listed.has(action) && !READ.test(action))
      .map((action) => `${action} is called but in no statement; add it to the statements for its resources.`),
    ...[...listed]
      .filter((action) => !called.has(action) && !(action in NOT_CALLED))
      .map((action) => `${action} is in a statement but nothing calls it; remove it.`),
    ...Object.keys(NOT_CALLED)
      .filter((action) => called.has(action) || !listed.has(action))
      .map((action) => `${action} is in NOT_CALLED but is called, or is in no statement; remove it from NOT_CALLED.`),
    ...operations
      .filter((action) => policyOf(action) === undefined)
      .map((action) => `${action} belongs to a service without a policy; add the service to POLICIES.`),
  ];
  if (problems.length > 0) throw new Error(`packages/aws-facts/src/policies/*statements.ts:\n${problems.join("\n")}`);

  const rules: StatementRule[] = [{ sid: "Read", about: READS_ABOUT, actions: reads, resources: ["*"] }, ...STATEMENTS];
  const policies = Object.keys(POLICIES).map((name): [string, Policy] => {
    const Statement = rules.flatMap((rule) => {
      const actions = rule.actions.filter((action) => policyOf(action) === name);
      return actions.length > 0 ? [statement({ ...rule, actions })] : [];
    });
    return [name, { Version: "2012-10-17", Statement }];
  });
  for (const [name, policy] of policies) assertSize(name, policy);
  return Object.fromEntries(policies);
}

/** The reason for the statement of reads, in the operators' guide. */
export const READS_ABOUT = "reads objects and offers; AWS ties most of these actions to no resource";

/** @throws Error if AWS would refuse the policy for its size */
export function assertSize(name: string, policy: Policy): void {
  const size = JSON.stringify(policy).replace(/\s/g, "").length;
  if (size > MAX_SIZE)
    throw new Error(`${name} has ${size} characters, but AWS accepts at most ${MAX_SIZE}; split it in POLICIES.`);
}

function policyOf(action: string): string | undefined {
  const service = action.split(":")[0] ?? "";
  return Object.entries(POLICIES).find(([, services]) => (services as readonly string[]).includes(service))?.[0];
}

function statement({ sid, effect = "Allow", actions, resources, condition }: StatementRule): Statement {
  return {
    Sid: sid,
    Effect: effect,
    Action: [...actions].sort(),
    Resource: [...resources],
    ...(condition && { Condition: structuredClone(condition) as Condition }),
  };
}
