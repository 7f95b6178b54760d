import { ago } from "@gantry/resources";
import { kindOf } from "./cloud-scope.js";
import type { Run } from "./engine.js";
import { type Absence, classifyError, type ErrorOutcome } from "./error-policy.js";
import type { NamedObject } from "./ledger.js";
import { nameObstacles } from "./refused-removal.js";
import { LeaseLost, ShuttingDown } from "./stage-errors.js";

/** The most objects that one message names. */
const MAX_NAMED = 5;

/**
 * Sorts any error of a run as `classifyError` does, decides about objects that the cloud does not show, and names what a
 * removal waits for.
 */
export async function settledOutcome<Cloud>(run: Run<Cloud>, error: unknown): Promise<ErrorOutcome | undefined> {
  const outcome = classifyError(error, run.engine.classify);
  return outcome && nameObstacles(error, await settleAbsence(run, outcome));
}

/**
 * Decides whether an error that an absent object may have caused passes: only what was created less than the visibility
 * time ago is waited for. An older object is gone, and the Request fails with its id and its age.
 */
async function settleAbsence<Cloud>(run: Run<Cloud>, outcome: ErrorOutcome): Promise<ErrorOutcome> {
  const { absence } = outcome;
  if (!absence || outcome.kind === "retry") return outcome;
  const { visibilitySeconds } = run.engine;
  const gone = await goneObjects(run, absence);
  if (gone.length > 0) {
    const isVisibleSoon = gone.every(({ act, ageSeconds }) => act !== "removed" && ageSeconds < visibilitySeconds);
    if (!isVisibleSoon) return { kind: "permanent", message: sentencesOf(run, gone) };
    const reason = `AWS to show ${gone.map((object) => `the ${labelOf(run, object)}`).join(" and ")}`;
    return { kind: "wait", wait: { reason, retryInSeconds: 2, limitMinutes: Number.POSITIVE_INFINITY } };
  }
  const foreign = absence.isStated ? absence.words.filter((word) => absence.parameters.includes(word)) : [];
  if (foreign.length === 0 || outcome.kind !== "wait") return outcome;
  const waitedMs = Date.now() - run.state.waitingOutSince(outcome.wait.reason).getTime();
  if (waitedMs < visibilitySeconds * 1000) return outcome;
  return { kind: "permanent", message: `${foreign.join(" and ")} does not exist in AWS; Gantry did not create it` };
}

/** The objects that the error names and that the cloud does not show. */
async function goneObjects<Cloud>(run: Run<Cloud>, { isStated, words, parameters }: Absence): Promise<NamedObject[]> {
  const { ledger } = run;
  const stated = await ledger.objectsNamed(words);
  if (isStated && stated.length === 1) return stated;
  const candidates = stated.length > 0 ? stated : await ledger.objectsNamed(isStated ? parameters : []);
  const isShown = await Promise.all(candidates.map((object) => shows(run, object)));
  return candidates.filter((_, index) => !isShown[index]);
}

async function shows<Cloud>(
  { engine, cloud }: Run<Cloud>,
  { kind, id, row, ...location }: NamedObject,
): Promise<boolean> {
  const { providerId, region } = location;
  const owner = row && { owner: { type: row.resourceType, id: row.resourceId } };
  try {
    return await cloud({ providerId, region, ...owner }).shows(kindOf(engine.kinds, { kind }), id, row);
  } catch (error) {
    if (error instanceof LeaseLost || error instanceof ShuttingDown) throw error;
    return true;
  }
}

function labelOf<Cloud>({ engine }: Run<Cloud>, { kind, id }: NamedObject): string {
  return `${kindOf(engine.kinds, { kind }).label} ${id}`;
}

function sentencesOf<Cloud>(run: Run<Cloud>, gone: NamedObject[]): string {
  const sentences = gone.slice(0, MAX_NAMED).map((object) => {
    const when = ago(new Date(Date.now() - object.ageSeconds * 1000));
    return `The ${labelOf(run, object)} is gone from AWS; Gantry ${object.act} it ${when}`;
  });
  return sentences.join(". ");
}
