import type { Request } from "@gantry/db";
import type { AwsAccount, Inventory } from "@gantry/local-stack";
import { requestTypeDefinition, requestTypes } from "@gantry/resources";
import { aws, createAwsAccount } from "../../support/account.js";
import type { TestCaller } from "../../support/api.js";
import { interceptor } from "../../support/aws-interceptor.js";
import { unrecorded } from "../../support/records.js";
import { countsOf, rightAfterFailure } from "../../support/scenario.js";
import { type CaseResult, differences, settled, successViolations } from "./case-result.js";
import { observePoints } from "./points.js";
import type { TestCase } from "./test-cases.js";
import type { AcceptedRequest, TestSystem } from "./test-system.js";

/** A Request that was cancelled or refused, and has ended. */
interface InterruptedRequest extends AcceptedRequest {
  testCase: TestCase;
  owner: TestCaller;
  isReached: boolean;
  /** The API's answer to the cancel. */
  cancelStatus: number | undefined;
  /** The number of calls to the cloud that were running when the Request was about to end. */
  callsAtEnd: number;
  request: Request;
}

const REMOVAL = /^(Delete|Terminate|Release|Detach|Disassociate|Revoke|Remove)/;
const REFUSAL_MESSAGE = "The provider's credentials lack a required permission in AWS";
const refusal = () => Object.assign(new Error("no"), { name: "UnauthorizedOperation", $metadata: {} });

/**
 * Interrupts each Request at its point. The Request must end as cancelled or failed, and everything that it leaves in AWS
 * must be named. A retry must succeed with exactly one of everything.
 */
export async function runCancelCases(system: TestSystem, cases: TestCase[]): Promise<CaseResult[]> {
  const awsAccount = await createAwsAccount();
  const interrupted = await settled(cases.map((testCase) => interrupt(system, awsAccount, testCase)));
  const left = await aws.inventory(awsAccount);
  const violations = await settled(interrupted.map(async (each) => violationsAfter(system, ended(each), left)));
  const retries = await settled(interrupted.map(async (each) => retry(ended(each))));
  const inventory = await aws.inventory(awsAccount);
  return Promise.all(
    cases.map(async (testCase, i) => {
      const [each, retried] = [interrupted[i], retries[i]];
      if (!each || each instanceof Error) return { testCase, isReached: true, violations: [String(each)] };
      const afterRetry =
        retried instanceof Error ? [retried.message] : retried ? successViolations(each, retried, inventory) : [];
      const before = violations[i] instanceof Error ? [String(violations[i])] : (violations[i] ?? []);
      const misreported = retried ? await unrecorded(system.database.db, each.accountId) : [];
      return {
        testCase,
        isReached: each.isReached,
        violations: [...before, ...[...afterRetry, ...misreported].map((what) => `after a retry, ${what}`)],
      };
    }),
  );
}

function ended(each: InterruptedRequest | Error): InterruptedRequest {
  if (each instanceof Error) throw each;
  return each;
}

async function interrupt(system: TestSystem, awsAccount: AwsAccount, testCase: TestCase): Promise<InterruptedRequest> {
  const accepted = await system.accept(testCase.type, awsAccount);
  const owner = await accepted.caller();
  const state = { isReached: false, cancelStatus: undefined as number | undefined, callsAtEnd: 0 };
  const observer = observePoints(accepted.requestId, async (point) => {
    if (point.endsWith("/before finish")) state.callsAtEnd = observer.runningCalls;
    if (point !== testCase.point || state.isReached) return;
    state.isReached = true;
    if (testCase.fault === "refusal") throw refusal();
    state.cancelStatus = (await owner.post(`/requests/${accepted.requestId}/cancel`)).status;
  });
  const engine = testCase.fault === "leak" ? withoutRemovals(system.engine, () => state.isReached) : system.engine;
  const request = await accepted.finish({ engine });
  observer.stop();
  return { ...accepted, ...state, testCase, owner, request };
}

/** The engine with an AWS that refuses every removal while `isForbidden`. */
function withoutRemovals(engine: TestSystem["engine"], isForbidden: () => boolean): TestSystem["engine"] {
  const { wrap } = interceptor((_nth, when, command) => {
    if (when === "before" && isForbidden() && REMOVAL.test(command)) throw refusal();
  });
  return { ...engine, connect: async (...location) => wrap(await engine.connect(...location)) };
}

async function violationsAfter(system: TestSystem, each: InterruptedRequest, left: Inventory): Promise<string[]> {
  const { testCase, request, scenario, accountId, requestId, callsAtEnd } = each;
  if (testCase.point.endsWith("/after finish")) {
    return [...differences("the cancel", [409], [each.cancelStatus]), ...successViolations(each, request, left)];
  }
  if (request.successful && testCase.fault === "refusal") return successViolations(each, request, left);
  const { database } = system;
  const open = await database.db.request.count({ where: { accountId, finishedAt: null } });
  const shown = (await each.owner.get(`/requests/${requestId}`)).body.request;
  const { leaked_resources: leaked } = (await each.owner.get(`/requests/${requestId}/leaked-resources`)).body;
  const common = { successful: shown.successful, message: shown.message, open, callsAtEnd };
  const idle = { successful: false, open: 0, callsAtEnd: 0 };
  const created = countsOf(left, accountId);
  if (testCase.fault === "refusal") {
    const isCompensated = requestTypes[testCase.type].onFailure === "compensate";
    // Some messages name first what could not be done.
    const message = shown.message?.endsWith(REFUSAL_MESSAGE) ? REFUSAL_MESSAGE : shown.message;
    return differences(
      "the failure",
      {
        ...idle,
        message: REFUSAL_MESSAGE,
        leaked: [],
        created: isCompensated ? rightAfterFailure(scenario, created) : created,
      },
      { ...common, message, leaked, created },
    );
  }
  const isLeak = testCase.fault === "leak";
  // AWS itself terminates what a change made it launch.
  const hasOwnObjects = "creates" in requestTypes[testCase.type];
  return differences(
    "the cancel",
    {
      ...idle,
      answer: 200,
      status: "Cancelled",
      message: "Cancelled",
      // What a late failure keeps is on record.
      leaked: isLeak && !scenario.afterLateFailure ? await ledgerOfTree(system, requestId) : [],
      created: isLeak && hasOwnObjects ? scenario.afterSuccess : scenario.afterFailure,
    },
    {
      ...common,
      answer: each.cancelStatus,
      status: shown.request_status.split(":")[0],
      leaked: namesOf(leaked),
      created,
    },
  );
}

/** The objects in the ledger of a Request and its descendants. */
async function ledgerOfTree({ database }: TestSystem, requestId: string): Promise<string[]> {
  return namesOf(
    await database.db.$queryRaw<{ kind: string; id: string | null }[]>`
      WITH RECURSIVE tree AS (
        SELECT id FROM requests WHERE id = ${requestId}::uuid
        UNION ALL SELECT child.id FROM requests child JOIN tree ON child.parent_id = tree.id)
      SELECT kind, cloud_id AS id FROM cloud_objects
      WHERE request_id IN (SELECT id FROM tree) AND removed_at IS NULL`,
  );
}

function namesOf(objects: { kind: string; id: string | null }[]): string[] {
  return objects.map(({ kind, id }) => `${kind} ${id}`).sort();
}

/** Retries a failed Request and returns the new one at its end; undefined if no retry is allowed. */
async function retry(each: InterruptedRequest): Promise<Request | undefined> {
  if (each.request.successful) return undefined;
  const { status, body } = await each.owner.post(`/requests/${each.requestId}/retry`);
  const mayRetry = requestTypeDefinition(each.testCase.type)?.insteadOfRetry === undefined;
  if (status !== (mayRetry ? 200 : 409)) throw new Error(`the API answered ${status}: ${JSON.stringify(body)}`);
  return mayRetry ? each.finish({ requestId: body.request.id }) : undefined;
}
