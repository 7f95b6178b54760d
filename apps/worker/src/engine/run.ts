import { isUnavailable } from "@gantry/db";
import { requestTypes } from "@gantry/resources";
import { withTrace } from "@gantry/runtime";
import { insideRequest, runs, span, stageDuration } from "@gantry/telemetry";
import { settledOutcome } from "./absence.js";
import { cancelCreation } from "./cancel-creation.js";
import { Children } from "./children.js";
import { type Claim, claim } from "./claim.js";
import { type CloudLocation, CloudScope } from "./cloud-scope.js";
import type { Engine, Run, RunView } from "./engine.js";
import { interrupted, nextAction, TAKEOVER_LIMIT } from "./error-policy.js";
import { fencedDb } from "./fenced-db.js";
import { Journal } from "./journal.js";
import { Ledger } from "./ledger.js";
import { PendingWork } from "./pending-work.js";
import { addMessage } from "./request-message.js";
import { giveUp, rollBack } from "./roll-back.js";
import type { ClaimedRequest } from "./run-state.js";
import { Cancelled, LeaseLost, NotYet, permanent, ShuttingDown } from "./stage-errors.js";
import type { AnyWorkflow, StageContext } from "./workflow.js";

/** The sleep of a Request whose run the database interrupted. */
const INTERRUPTED_SECONDS = 5;

const UNSEEN: RunView = { enter: () => {}, log: () => {} };

/**
 * Runs a Request until it ends, sleeps or loses its lease. Does nothing if the Request is not due, is held by another
 * worker or has ended; a removal then cancels the creation that it queues behind.
 *
 * @returns the Request if the run ended it successfully
 * @throws the error of a claim that failed, or of a database that became unavailable; all others are handled and logged
 */
export async function runRequest<Cloud>(
  engine: Engine<Cloud>,
  requestId: string,
  view: RunView = UNSEEN,
): Promise<ClaimedRequest | undefined> {
  const claimed = await claim(engine, requestId);
  if (claimed) return runClaimed(engine, claimed, view);
  await cancelCreation(engine, requestId);
  return undefined;
}

/** As `runRequest`, for a Request that was claimed. */
async function runClaimed<Cloud>(
  engine: Engine<Cloud>,
  claimed: Claim,
  view: RunView,
): Promise<ClaimedRequest | undefined> {
  const { state, lease } = claimed;
  const workflow = engine.workflows.get(state.request.type);
  if (!workflow) return undefined;
  return withTrace(state.request.traceId, async () => {
    const run = prepareRun(engine, workflow, claimed, view);
    const { type } = state.request;
    try {
      const end = await advanceTraced(run);
      runs.inc({ type, result: end === "sleeping" ? end : "ended" });
      return end === "successful" ? state.request : undefined;
    } catch (error) {
      const isLost = error instanceof LeaseLost;
      runs.inc({ type, result: isLost ? "lease_lost" : "broken" });
      if (isUnavailable(error)) {
        await releaseInterrupted(run).catch(() => {});
        throw error;
      }
      if (isLost) run.log.warn(costsOf(run), "lease lost");
      // Another worker takes the Request over once its lease has run out, and continues from the last write.
      else run.log.error({ ...costsOf(run), err: error }, "run ended without a result");
      return undefined;
    } finally {
      lease.close();
    }
  });
}

/**
 * Releases a Request whose run the database interrupted, if the database accepts that: it may refuse only some writes, and
 * no worker was lost. What the run did may not be on record, as after a takeover.
 */
async function releaseInterrupted<Cloud>({ ledger, journal, state }: Run<Cloud>): Promise<void> {
  await ledger.recordTakeover();
  await journal.sleep(interrupted(state, { seconds: INTERRUPTED_SECONDS, reason: "the database" }));
}

function prepareRun<Cloud>(
  engine: Engine<Cloud>,
  workflow: AnyWorkflow<Cloud>,
  { state, lease }: Claim,
  view: RunView,
): Run<Cloud> {
  const { db, jobs } = engine;
  const { request } = state;
  const ledger = new Ledger(db, state);
  const ownRecord = { type: request.resourceType ?? "request", id: request.resourceId ?? request.id };
  const cloudFor = (work: PendingWork) => (location: CloudLocation) =>
    new CloudScope<Cloud>({
      state,
      lease,
      ledger,
      work,
      location: { owner: ownRecord, ...location },
      connect: () => engine.connect(location, request.accountId),
      visibilitySeconds: engine.visibilitySeconds,
    });
  const work = new PendingWork();
  const context: StageContext<Cloud, never> = {
    request: { id: request.id, accountId: request.accountId },
    resourceId: ownRecord.id,
    input: request.input as never,
    callback: () => engine.callbackOf(request.id),
    db: fencedDb(db, request),
    cloud: cloudFor(work),
    vault: engine.vault,
    recordProgress: () => state.recordProgress(),
    minutesInStage: () => state.minutesInStage(),
    children: new Children(db, state, jobs),
  };
  const journal = new Journal(db, jobs, state);
  const log = engine.log.child({ request: request.id, type: request.type, fence: request.fence });
  return {
    engine,
    workflow,
    state,
    lease,
    ledger,
    journal,
    context,
    work,
    cloud: cloudFor(new PendingWork()),
    log,
    view,
  };
}

/** What the run took so far, for its log lines. */
function costsOf<Cloud>({ state, lease }: Run<Cloud>) {
  return { run_ms: Math.round(state.runMs), aws_calls: lease.cloudCalls };
}

/** How a run ended that kept its lease. */
type RunEnd = "successful" | "failed" | "sleeping";

/** Advances a run as a span below its Request's, which this run may end. */
function advanceTraced<Cloud>(run: Run<Cloud>): Promise<RunEnd> {
  const { request, current } = run.state;
  const attributes = {
    "gantry.request.id": request.id,
    "gantry.fence": request.fence,
    "gantry.takeovers": current.takeovers,
  };
  return span("run", { parent: insideRequest(request), attributes }, () => advance(run));
}

/** Runs the stages or the rollback until the Request has ended or sleeps. */
async function advance<Cloud>(run: Run<Cloud>): Promise<RunEnd> {
  const { workflow, state, journal, log } = run;
  if (state.current.takeovers > 0) await run.ledger.recordTakeover();
  for (;;) {
    try {
      const isRollback = state.current.rollingBackSince !== null;
      await (isRollback ? span("roll back", { isFailure: isUnexpected }, () => rollBack(run)) : runStages(run));
      const seconds = Math.round(state.ageSeconds * 1000) / 1000;
      log.info({ message: state.current.message, seconds, ...costsOf(run) }, "request finished");
      return isRollback ? "failed" : "successful";
    } catch (thrown) {
      const failures = await run.work.close();
      const error = failures.find(preventsResult) ?? thrown;
      const { sleep, failure } = await nextAction(state, error, (each) => settledOutcome(run, each));
      if (sleep) {
        log.info({ ...sleep, ...costsOf(run), err: sleep.error ? error : undefined }, "request sleeping");
        if (sleep.error) run.view.log(sleep.error);
        await journal.sleep(sleep);
        return "sleeping";
      }
      log.warn({ err: error }, "request failed");
      run.view.log(failure);
      if (state.current.rollingBackSince) {
        await addMessage(run.context, `The rollback could not go on: ${failure}`);
        await giveUp(run);
        return "failed";
      }
      if (requestTypes[workflow.type].onFailure === "stop") {
        await journal.finish({ successful: false, message: failure, leaked: [] });
        return "failed";
      }
      await journal.startRollback(failure);
    }
  }
}

async function runStages<Cloud>({ state, lease, journal, workflow, context, work, view }: Run<Cloud>): Promise<void> {
  const { stages, deadlineMinutes, onFailure } = requestTypes[workflow.type];
  const { stage, takeovers } = state.current;
  if (takeovers >= TAKEOVER_LIMIT) {
    throw permanent(`Gave up because ${takeovers} workers were lost while they ran this Request`);
  }
  if (state.request.isOverdue) throw permanent(`Did not finish within the limit of ${deadlineMinutes} minutes`);
  const names: readonly string[] = stages;
  const reached = Math.max(0, names.indexOf(stage ?? ""));
  for (const [position, name] of names.entries()) {
    if (position < reached) continue;
    await lease.assertHeld();
    await journal.enter(name, position);
    view.enter(name, Math.round((100 * position) / names.length));
    const stopTimer = stageDuration.startTimer({ type: workflow.type, stage: name });
    await span(`stage ${name}`, { isFailure: isUnexpected }, async () => workflow.stages[name]?.(context)).finally(
      stopTimer,
    );
  }
  await work.close();
  await journal.finish({ successful: true, message: null, leaked: [], unlessCancelled: onFailure === "compensate" });
}

/** Whether the error by which a stage ended is more than a wait or an end that was asked for. */
function isUnexpected(error: unknown): boolean {
  return !(error instanceof NotYet || error instanceof Cancelled || error instanceof ShuttingDown);
}

/**
 * True if the run must not record a result, because the effect of a failed part is unknown. Such an error takes precedence
 * over the error that the stage threw.
 */
function preventsResult(error: unknown): boolean {
  return error instanceof LeaseLost || isUnavailable(error);
}
