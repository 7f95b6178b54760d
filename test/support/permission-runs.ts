import type { Request } from "@gantry/db";
import type { Env } from "@gantry/runtime";
import type { Aws } from "@gantry/worker";
import type { Engine } from "@gantry/worker/engine";
import { createTestAccount } from "./account.js";
import { testAwsEngine } from "./aws-engine.js";
import { interceptor } from "./aws-interceptor.js";
import { runAllToEnd } from "./engine.js";
import { failedAssertion, type Scenario, scenarioContext } from "./scenario.js";
import type { ShippedPermissions } from "./shipped-permissions.js";
import type { TestDatabase } from "./stack.js";

export interface PermissionRun {
  request: Request;
  failedAssertion: string | undefined;
  /** What the Request showed its owner: its message, its report, and what it recorded of regions that AWS refused. */
  messages: string[];
  /** The names of the operations that the scenario's Request called, with its children. */
  operations: Set<string>;
}

export interface PermissionRunOptions {
  /** The ARN of the provider's role during the scenario's Request; the shipped role prepares it. */
  role?: string;
  /** Settings of the worker that runs the Request. */
  settings?: Partial<Env> | undefined;
  /** The first answer of each creating operation is lost, so that the worker looks for the object. */
  losesAnswers?: boolean;
}

/** The names of the operations that create an object. */
export const CREATE = /^(Create|Allocate|Authorize|Import|Run)/;

/** Returns the function that runs a scenario by the worker's identity through a provider's role. */
export function permissionRuns(
  database: TestDatabase,
  env: Env,
  { awsAccount, roleArn, externalId, permissionsBoundary }: ShippedPermissions,
) {
  const { db } = database;

  return async (
    scenario: Scenario,
    { role = roleArn, settings, losesAnswers = false }: PermissionRunOptions = {},
  ): Promise<PermissionRun> => {
    const customer = await createTestAccount(db, env, awsAccount);
    const where = { id: customer.provider.id };
    await db.provider.update({ where, data: { roleArn, externalId, permissionsBoundary, credentials: null } });
    const context = scenarioContext(testAwsEngine(database, env), { db, env, customer });
    const requestId = await scenario.createRequest(context);

    await db.provider.update({ where, data: { roleArn: role } });
    const operations = new Set<string>();
    const lost = new Set<string>();
    const { wrap } = interceptor((_nth, side, command) => {
      const operation = command.replace(/Command$/, "");
      operations.add(operation);
      if (!losesAnswers || side === "before" || !CREATE.test(operation) || lost.has(operation)) return;
      lost.add(operation);
      throw Object.assign(new Error("the answer was lost"), { name: "TimeoutError", $metadata: {} });
    });
    // New clients: the engine keeps those of the shipped role.
    const engine = testAwsEngine(database, { ...env, ...settings });
    const connect: Engine<Aws>["connect"] = async (...location) => wrap(await engine.connect(...location));
    await runAllToEnd({ ...engine, connect }, customer.accountId, 1);
    const request = await db.request.findUniqueOrThrow({ where: { id: requestId } });
    const failed = request.successful ? await failedAssertion(scenario, context, request) : undefined;
    return { request, failedAssertion: failed, operations, messages: await messagesOf(request) };
  };

  async function messagesOf({ accountId, report }: Request): Promise<string[]> {
    const { checks = [] } = (report ?? {}) as { checks?: { result: string; reason: string }[] };
    // A scenario may need several Requests, and any of them may be denied a call.
    const requests = await db.request.findMany({ where: { accountId }, include: { messages: true } });
    const regions = await db.providerLocation.findMany({ where: { accountId } });
    const offers = await db.offerList.findMany({ where: { accountId } });
    return [
      ...requests.flatMap(({ message, messages }) => [message, ...messages.map((each) => each.message)]),
      ...checks.filter(({ result }) => result !== "ok").map(({ reason }) => reason),
      ...regions.map(({ disabledReason }) => disabledReason),
      ...offers.map((list) => list.message),
    ].filter((sentence) => sentence !== null);
  }
}
