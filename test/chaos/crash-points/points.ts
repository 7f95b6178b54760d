/** Called at every moment of a Request's run, by its name; what it returns or throws holds up or breaks the run there. */
export type AtMoment = (moment: string) => void | Promise<void>;

/** One Request under watch. */
export interface Watch {
  /** How many calls to the cloud have begun and not ended. */
  underWay: number;
  end(): void;
}

interface Watched extends Watch {
  at: AtMoment;
  stage: string;
  counts: Map<string, number>;
}

const watches = new Map<string, Watched>();

/**
 * Calls `at` before and after everything that a run of the Request writes or does in the cloud. A moment is named by the
 * stage, by what happens and by how often that has happened since the stage was entered: a stage that is entered again
 * passes the same moments.
 */
export function watch(requestId: string, at: AtMoment): Watch {
  const watched = {
    at,
    stage: "",
    counts: new Map(),
    underWay: 0,
    end: () => void watches.delete(requestId),
  };
  watches.set(requestId, watched);
  return watched;
}

/** Whether a moment is one of a call to the cloud. */
export function isOfCloud(moment: string): boolean {
  return /\/(before|after) (call|find|create|sync|remove)\b/.test(moment);
}

/** Does a piece of a Request's run with a moment before and one after it. */
export async function around<T>(
  requestId: string,
  what: string,
  act: () => PromiseLike<T>,
  isCall = false,
): Promise<T> {
  const watched = watches.get(requestId);
  if (!watched) return act();
  const { stage, counts } = watched;
  const nth = (counts.get(what) ?? 0) + 1;
  counts.set(what, nth);
  const name = nth === 1 ? what : `${what} ${nth}`;
  await watched.at(`${stage}/before ${name}`);
  if (isCall) watched.underWay++;
  try {
    const result = await act();
    await watched.at(`${stage}/after ${name}`);
    return result;
  } finally {
    if (isCall) watched.underWay--;
  }
}

/** From here on the moments of the Request are those of this stage, counted anew. */
export function enterStage(requestId: string, stage: string): void {
  const watched = watches.get(requestId);
  if (watched) Object.assign(watched, { stage, counts: new Map() });
}
