import type { Aws } from "../aws/clients.js";
import { TurnLater } from "../aws/tolls.js";
import type { Engine } from "../engine/engine.js";
import { verdictOn } from "../engine/verdict.js";
import { type Cursor, type DriftLimits, type HeldPlace, mayCall, releasePlace, type TurnEnd } from "./place.js";
import { type Look, StandBack, type Step } from "./step.js";

/**
 * Goes on with the pass in a place that was claimed, until all steps are done or it may not go on, and gives the place
 * back. A step that fails is passed over, and the place says why.
 */
export async function lookAt(
  engine: Engine<Aws>,
  place: HeldPlace,
  steps: readonly Step[],
  limits: DriftLimits,
): Promise<void> {
  const look = looking(engine, place, limits);
  const from = place.cursor;
  let message = from?.message ?? null;
  const release = (end: TurnEnd, cursor: Cursor | null) =>
    releasePlace(engine.db, place, { end, cursor, message }, limits);

  const first = steps.findIndex(({ name }) => name === from?.step);
  for (const step of steps.slice(Math.max(0, first))) {
    const resumed = from?.step === step.name ? from : undefined;
    const cursor = {
      step: step.name,
      after: resumed?.after ?? null,
      since: resumed?.since ?? (await now(engine)),
      message,
    };
    try {
      await takeStep(step, look, cursor);
    } catch (error) {
      if (error instanceof StandBack) return release("stood back", cursor);
      const verdict = verdictOn(error, engine.classify);
      if (!verdict) throw error;
      engine.log.warn({ err: error, place: place.id, step: step.name }, "AWS could not be compared with the records");
      message ??= verdict.kind === "wait" ? `Waiting for ${verdict.reason}` : verdict.message;
      if (verdict.kind === "wait") return release("put off", cursor);
    }
  }
  return release("finished", null);
}

/** Looks at all pages of a step, or at those that are left of it. */
async function takeStep(step: Step, look: Look, cursor: Cursor): Promise<void> {
  for (;;) {
    const next = await step.page(look, cursor.after);
    if (next === null) break;
    cursor.after = next;
  }
  await step.end(look, cursor.since);
}

function looking(engine: Engine<Aws>, place: HeldPlace, limits: DriftLimits): Look {
  const { db, workflows, leaseSeconds } = engine;
  const types = [...workflows.keys()];
  return {
    db,
    place,
    quietSeconds: limits.quietSeconds,
    call: async (act) => {
      if (engine.isStopping() || !(await mayCall(db, place, types, limits, leaseSeconds))) throw new StandBack();
      const { spare, region, serverImage } = await engine.connect(place, place.accountId);
      // Each call is sent once, so that those sent are those counted, and only while users' work leaves tokens.
      return act({ ...spare, once: spare, spare, region, serverImage }).catch((error) => {
        throw error instanceof TurnLater ? new StandBack() : error;
      });
    },
  };
}

async function now({ db }: Engine<Aws>): Promise<string> {
  const [row] = await db.$queryRaw<{ now: Date }[]>`SELECT now() AS now`;
  return row?.now.toISOString() ?? "";
}
