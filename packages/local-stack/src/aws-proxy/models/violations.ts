import { type AwsResponse, errorResponse } from "../aws-response.js";
import type { Call } from "../call.js";
import { modelError, validateCall } from "./call-validation.js";
import type { Problem } from "./problem.js";
import { ServiceModels } from "./service-model.js";

/** A call that AWS's model of its service does not allow. */
export interface Violation {
  accountId: string;
  service: string;
  action: string;
  problems: Problem[];
  /** The caller's `AWS_SDK_UA_APP_ID`: in a test the name of its file. */
  app?: string;
}

/** Validates calls against AWS's models of its services, and keeps those that violate them. */
export class ModelValidation {
  private readonly models: ServiceModels;
  private violations: Violation[] = [];

  /** @param emulatorHome the folder of the emulator's Python environment, which holds the models */
  constructor(emulatorHome: string) {
    this.models = new ServiceModels(emulatorHome);
  }

  /** Records a call that violates its model, and returns the error that AWS answers it with; else undefined. */
  async refusal(call: Call, accountId: string, app?: string): Promise<AwsResponse | undefined> {
    const problems = await this.problemsOf(call);
    const [first] = problems;
    if (!first) return undefined;
    const { service, action } = call;
    this.violations.push({ accountId, service, action, problems, ...(app && { app }) });
    return errorResponse(call, modelError(call, first));
  }

  private async problemsOf(call: Call): Promise<Problem[]> {
    try {
      return validateCall(call, await this.models.of(call.service));
    } catch (error) {
      return [{ kind: "action", path: "", reason: `could not be validated: ${error}` }];
    }
  }

  /** Lists the violations of an account, of a caller, or all. */
  find({ accountId, app }: ViolationFilter): Violation[] {
    return this.violations.filter((each) => (!accountId || each.accountId === accountId) && (!app || each.app === app));
  }

  /** Removes and returns violations, for a test that makes them on purpose. */
  take(filter: ViolationFilter): Violation[] {
    const taken = this.find(filter);
    this.violations = this.violations.filter((each) => !taken.includes(each));
    return taken;
  }
}

export interface ViolationFilter {
  accountId?: string | undefined;
  app?: string | undefined;
}

/** Throws an Error that lists violations, unless there are none. */
export function assertNoViolations(violations: Violation[]): void {
  if (violations.length === 0) return;
  const lines = violations.flatMap(({ service, action, problems, app }) =>
    problems.map(({ path, reason, value }) => {
      const sent = value === undefined ? "" : ` (sent: ${value})`;
      return `  ${app ? `${app}: ` : ""}${service} ${action} ${path} ${reason}${sent}`;
    }),
  );
  const list = [...new Set(lines)].join("\n");
  throw new Error(`${violations.length} calls violate AWS's models of its services:\n${list}`);
}
