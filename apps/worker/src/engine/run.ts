import { isUnreachable } from "@gantry/db";
import { requestTypes } from "@gantry/requests";
import { withTrace } from "@gantry/runtime";
import { Children } from "./children.js";
import { type CloudLocation, CloudScope } from "./cloud-scope.js";
import type { Engine, Run } from "./engine.js";
import {
  ATTEMPT_LIMIT,
  backoffSeconds,
  classifyError,
  SHORTEST_POLL_SECONDS,
  TAKEOVER_LIMIT,
  WATCHED_FROM_SECONDS,
} from "./error-policy.js";
import { fencedDb } from "./fenced-db.js";
import { Journal, type Sleep } from "./journal.js";
import { claim, type Lease } from "./lease.js";
import { Ledger } from "./ledger.js";
import { PendingWork } from "./pending-work.js";
import { giveUp, rollBack } from "./roll-back.js";
import { Cancelled, LeaseLost, permanent, ShuttingDown } from "./stage-errors.js";
import type { AnyWorkflow, StageContext } from "./workflow.js";

/** Runs a Request as far as it goes now. Does nothing where it is not due, is held by another worker or has ended. */
export async function runRequest<Cloud>(engine: Engine<Cloud>, requestId: string): Promise<void> {
  const types = [...engine.workflows.keys()];
  const lease = await claim(engine.db, requestId, types, engine, engine.isStopping);
  const workflow = lease && engine.workflows.get(lease.request.type);
  if (!workflow) return;
  await withTrace(lease.request.traceId, async () => {
    const run = prepareRun(engine, workflow, lease);
    try {
      await advance(run);
    } catch (error) {
      if (error instanceof LeaseLost) run.log.warn("replaced by another worker");
      // Whoever takes the Request over when its lease has run out goes on from what was written.
      else run.log.error({ err: error }, "the run ended without a result");
    } finally {
      lease.close();
    }
  });
}

function prepareRun<Cloud>(engine: Engine<Cloud>, workflow: AnyWorkflow<Cloud>, lease: Lease): Run<Cloud> {
  const { db, notifier } = engine;
  const { request } = lease;
  const ledger = new Ledger(db, lease);
  const ownRecord = { type: request.resourceType ?? "request", id: request.resourceId ?? request.id };
  const work = new PendingWork();
  const scopeFor = (work: PendingWork) => (location: CloudLocation) =>
    new CloudScope<Cloud>({
      lease,
      ledger,
      work,
      location: { owner: ownRecord, ...location },
      connect: () => engine.connect(location, request.accountId),
      visibilitySeconds: engine.visibilitySeconds,
    });
  const context: StageContext<Cloud, never> = {
    request: { id: request.id, accountId: request.accountId },
    resourceId: ownRecord.id,
    input: request.input as never,
    callback: engine.callbackOf(request.id),
    db: fencedDb(db, request.id, request.fence),
    cloud: scopeFor(work),
    vault: engine.vault,
    children: new Children(db, lease, (...notifications) => notifier.notify(...notifications)),
  };
  const log = engine.log.child({ request: request.id, type: request.type, fence: request.fence });
  const scope = scopeFor(new PendingWork());
  return { engine, workflow, lease, ledger, scope, context, work, log, journal: new Journal(db, notifier, lease) };
}

async function advance<Cloud>(run: Run<Cloud>): Promise<void> {
  const { request } = run.lease;
  if (request.takeovers > 0) await run.ledger.recordTakeover();
  for (;;) {
    try {
      await (request.rollingBackSince ? rollBack(run) : runStages(run));
      return run.log.info({ message: request.message }, "request ended");
    } catch (thrown) {
      const failures = await run.work.close();
      const error = failures.find(preventsResult) ?? thrown;
      const { sleep, failure } = nextAction(run, error);
      if (sleep) {
        run.log.info({ ...sleep, err: sleep.error ? error : undefined }, "request sleeps");
        return run.journal.sleep(sleep);
      }
      run.log.warn({ err: error }, "request failed");
      if (request.rollingBackSince) return giveUp(run);
      if (requestTypes[run.workflow.type].onFailure === "stop") {
        return run.journal.finish({ successful: false, message: failure, leaked: [] });
      }
      await run.journal.startRollback(failure);
    }
  }
}

async function runStages<Cloud>({ lease, journal, workflow, context, work }: Run<Cloud>): Promise<void> {
  const { request } = lease;
  const { stages, deadlineMinutes, onFailure } = requestTypes[workflow.type];
  if (request.takeovers >= TAKEOVER_LIMIT) {
    throw permanent(`Given up after ${request.takeovers} workers were lost while they worked on it`);
  }
  if (request.overdue) throw permanent(`Did not end within its limit of ${deadlineMinutes} minutes`);
  const names: readonly string[] = stages;
  const reached = Math.max(0, names.indexOf(request.stage ?? ""));
  for (const [position, name] of names.entries()) {
    if (position < reached) continue;
    await lease.assertHeld();
    await journal.enter(name, position);
    await workflow.stages[name]?.(context);
  }
  await work.close();
  await journal.finish({ successful: true, message: null, leaked: [], unlessCancelled: onFailure === "compensate" });
}

/**
 * Whether a piece of the stage's work ended so that the run may write no result: what it did is not on record. That comes
 * before whatever the stage says of its other pieces.
 */
function preventsResult(error: unknown): boolean {
  return error instanceof LeaseLost || isUnreachable(error);
}

type NextAction = { sleep: Sleep; failure?: never } | { sleep?: never; failure: string };

/** What an error leads to: a sleep, or the end. One that makes writing impossible is thrown on. */
function nextAction<Cloud>({ lease, engine }: Run<Cloud>, error: unknown): NextAction {
  if (error instanceof LeaseLost) throw error;
  if (error instanceof Cancelled) return { failure: "Cancelled" };
  const attempts = lease.progress > 0 ? 0 : lease.request.stageAttempts;
  if (error instanceof ShuttingDown) return { sleep: { seconds: 0, attempts } };
  const outcome = classifyError(error, engine.classify);
  if (!outcome) throw error;
  if (outcome.kind === "permanent") return { failure: outcome.message };
  if (outcome.kind === "wait") {
    const { reason, retryInSeconds, limitMinutes, soonerAtFirst, awaitedChildren = 0, watched } = outcome;
    const minutes = lease.minutesInStage();
    if (minutes > limitMinutes) return { failure: `Waited ${limitMinutes} minutes in vain: ${reason}` };
    const seconds = soonerAtFirst
      ? Math.min(retryInSeconds, Math.max(SHORTEST_POLL_SECONDS, minutes * 15))
      : retryInSeconds;
    const sleep = { seconds, attempts, waitingFor: reason, awaitedChildren };
    if (!watched || seconds < WATCHED_FROM_SECONDS) return { sleep };
    const since = lease.stageEnteredAt;
    const until = new Date(since.getTime() + limitMinutes * 60_000);
    return { sleep: { ...sleep, watch: { ...watched, everySeconds: retryInSeconds, since, until } } };
  }
  const tries = attempts + 1;
  if (tries >= ATTEMPT_LIMIT) return { failure: outcome.message };
  return {
    sleep: { seconds: backoffSeconds(tries), attempts: tries, waitingFor: "Another try", error: outcome.message },
  };
}
