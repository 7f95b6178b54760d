import type { RequestType } from "@gantry/requests";
import { aws } from "../../support/account.js";
import { playUndoings } from "./cancel-cases.js";
import { type Outcome, wrongWithSuccess } from "./case-result.js";
import { playDeaths } from "./kill-cases.js";
import { Mortals } from "./killable-worker-pool.js";
import { watch } from "./points.js";
import { deathsOf, nameOf, type Play, playOf, sampleOf, undoingsOf } from "./test-cases.js";
import { type House, openHouse } from "./test-system.js";

export interface Options {
  types: RequestType[];
  /** Cancels, refusals and retries instead of deaths. */
  isUndoing: boolean;
  /** How many plays, or all. */
  sample?: number | undefined;
  seed: string;
  /** One play alone, by its name. */
  point?: string | undefined;
  /** How many Requests are disturbed together: so many one worker takes with it when it dies. */
  together: number;
  /** How many such groups are played at once. */
  lanes: number;
  say(line: string): void;
}

/** Every play that there is of the operations, and how those ended that were played. */
export interface Result {
  all: Play[];
  outcomes: Outcome[];
}

/** Plays what the options name. */
export async function campaign({
  isUndoing,
  sample,
  seed,
  together,
  lanes,
  say,
  ...options
}: Options): Promise<Result> {
  const appContext = await openHouse();
  try {
    const all = options.point ? [playOf(options.point)] : await survey(appContext, options.types, isUndoing, lanes);
    const plays = sampleOf(all, sample ?? all.length, seed);
    if (plays.length === 0) throw new Error("There is nothing to play.");
    say(`${plays.length} of ${all.length} points, seed ${seed}`);
    const groups = Array.from({ length: Math.ceil(plays.length / together) }, (_, i) =>
      plays.slice(i * together, (i + 1) * together),
    );
    const isDeadly = plays[0]?.harm === "death";
    const mortals = new Mortals(isDeadly ? groups.length : 0, lanes);
    const outcomes = await inLanes(groups, lanes, async (group) => {
      const playing = isDeadly ? playDeaths(appContext, mortals, group) : playUndoings(appContext, group);
      const played = await playing.catch((error) => group.map((play) => failed(play, error)));
      for (const { play, wrong } of played) if (wrong.length > 0) say(`WRONG ${nameOf(play)}\n  ${wrong.join("\n  ")}`);
      return played;
    });
    await mortals.close();
    return { all, outcomes: outcomes.flat() };
  } finally {
    await appContext.close();
  }
}

const failed = (play: Play, error: unknown): Outcome => ({ play, isReached: false, wrong: [String(error)] });

/** Runs each operation undisturbed, and gives what can be done to it. */
async function survey(appContext: House, types: RequestType[], isUndoing: boolean, lanes: number): Promise<Play[]> {
  const awsAccount = await aws.createAccount();
  const surveyed = await inLanes(types, lanes * 2, async (type) => {
    const accepted = await appContext.accept(type, awsAccount);
    const moments = new Set<string>();
    const watched = watch(accepted.requestId, (moment) => void moments.add(moment));
    const request = await accepted.finish();
    watched.end();
    return { accepted, request, moments: [...moments] };
  });
  const inventory = await aws.inventory(awsAccount);
  return surveyed.flatMap(({ accepted, request, moments }) => {
    const { type } = accepted;
    const [wrong] = wrongWithSuccess(accepted, request, inventory);
    if (wrong) throw new Error(`${type} goes wrong undisturbed: ${wrong}`);
    return isUndoing ? undoingsOf(type, moments) : deathsOf(type, moments);
  });
}

/** Does something with each, with so many at a time, and gives the results in their order. */
async function inLanes<Item, Result>(
  items: Item[],
  lanes: number,
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const lane = async () => {
    for (const [i, item] of queue) results[i] = await act(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
