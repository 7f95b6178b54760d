import { type ContextEntry, type EvaluationResult, SimulatePrincipalPolicyCommand } from "@aws-sdk/client-iam";
import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import type { Aws } from "../clients.js";
import { contextOf, SIMULATED } from "./actions.js";
import { type Check, check, type Outcome, unchecked } from "./check.js";

interface Decisions {
  allowed: string[];
  denied: string[];
  /** Actions whose permission depends on what a simulation does not know. */
  open: string[];
}

/** Simulates the changes that Gantry makes, one line for each service. IAM's simulation knows no policies of resources. */
export async function checkPolicies(aws: Aws, { roleArn }: { roleArn: string | null }): Promise<Check[]> {
  const { Arn = "", Account: account = "" } = await aws.sts.send(new GetCallerIdentityCommand({}));
  const principal = roleArn ?? Arn;
  if (principal.endsWith(":root")) return [];
  const partition = Arn.split(":")[1] ?? "aws";
  const place = { partition, account, region: aws.region };
  const ContextEntries = contextOf(place);
  const byService = new Map<string, Decisions>();
  for (const { service, actions, resource } of SIMULATED) {
    const decisions = byService.get(service) ?? { allowed: [], denied: [], open: [] };
    byService.set(service, decisions);
    try {
      const results = await simulate(aws, { principal, actions, resource: resource(place), ContextEntries });
      for (const result of results) decisions[decisionOf(result)].push(result.EvalActionName ?? "");
    } catch (error) {
      return [check("policies", null, unchecked(error))];
    }
  }
  return [...byService].map(([service, decisions]) => check(`permissions of ${service}`, null, outcomeOf(decisions)));
}

async function simulate(
  { iam }: Aws,
  of: { principal: string; actions: readonly string[]; resource: string; ContextEntries: ContextEntry[] },
): Promise<EvaluationResult[]> {
  const results: EvaluationResult[] = [];
  let Marker: string | undefined;
  do {
    const page = await iam.send(
      new SimulatePrincipalPolicyCommand({
        PolicySourceArn: of.principal,
        ActionNames: [...of.actions],
        ResourceArns: [of.resource],
        ContextEntries: of.ContextEntries,
        ...(Marker && { Marker }),
      }),
    );
    results.push(...(page.EvaluationResults ?? []));
    Marker = page.IsTruncated ? page.Marker : undefined;
  } while (Marker);
  return results;
}

function decisionOf({ EvalDecision, MissingContextValues = [] }: EvaluationResult): keyof Decisions {
  if (EvalDecision === "allowed") return "allowed";
  return EvalDecision === "implicitDeny" && MissingContextValues.length > 0 ? "open" : "denied";
}

/** The outcome for the actions of one service. */
export function outcomeOf({ allowed, denied, open }: Decisions): Outcome {
  const all = allowed.length + denied.length + open.length;
  const remedy = "Grant them in the policies of Gantry's role, and check whether the organization denies them";
  if (denied.length > 0) {
    return {
      result: "fails",
      reason: `${denied.length} of ${all} actions are denied: ${denied.join(", ")}`,
      remedy,
      who: "owner",
    };
  }
  if (open.length === 0) return { reason: `All ${all} actions are allowed` };
  const reason = `${allowed.length} of ${all} actions are allowed; this could not be determined for ${open.join(", ")}`;
  return { result: "warning", reason };
}
