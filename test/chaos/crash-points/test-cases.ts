import { createHash } from "node:crypto";
import { type RequestType, requestTypes } from "@gantry/requests";
import { isOfCloud } from "./points.js";

/** What happens at a moment: the worker dies, a cancel is accepted, AWS refuses, or a cancel is and removals fail. */
export type Harm = "death" | "cancel" | "refusal" | "leak";

/** One disturbance of one operation. */
export interface Play {
  harm: Harm;
  type: RequestType;
  moment: string;
}

export function nameOf({ harm, type, moment }: Play): string {
  return `${harm} ${type}/${moment}`;
}

/** @throws an Error where it is no name of a play */
export function playOf(name: string): Play {
  const [, harm, type, moment] = /^(death|cancel|refusal|leak) (\w+)\/(.+)$/.exec(name) ?? [];
  if (!harm || !type || !moment || !Object.hasOwn(requestTypes, type)) throw new Error(`There is no point "${name}".`);
  return { harm: harm as Harm, type: type as RequestType, moment };
}

/** A death at each moment of an operation. */
export function deathsOf(type: RequestType, moments: string[]): Play[] {
  return moments.map((moment) => ({ harm: "death", type, moment }));
}

/** A cancel at each moment of an operation that can be cancelled, and a refusal of each of its calls. */
export function undoingsOf(type: RequestType, moments: string[]): Play[] {
  const at = (harm: Harm) => (moment: string) => ({ harm, type, moment });
  const refusals = moments.filter(isOfCloud).map(at("refusal"));
  if (requestTypes[type].onFailure !== "compensate") return refusals;
  const leaks = moments.filter((moment) => moment.endsWith("/before finish")).map(at("leak"));
  return [...moments.map(at("cancel")), ...leaks, ...refusals];
}

/** So many plays, of all operations alike; the same seed gives the same ones. */
export function sampleOf(plays: Play[], size: number, seed: string): Play[] {
  const digest = (play: Play) =>
    createHash("sha256")
      .update(`${seed} ${nameOf(play)}`)
      .digest("hex");
  const shuffled = plays.map((play) => ({ play, order: digest(play) })).sort((a, b) => (a.order < b.order ? -1 : 1));
  const seen = new Map<string, number>();
  const ranked = shuffled.map(({ play }) => {
    const rank = seen.get(play.type) ?? 0;
    seen.set(play.type, rank + 1);
    return { play, rank };
  });
  ranked.sort((a, b) => a.rank - b.rank);
  return ranked.slice(0, size).map(({ play }) => play);
}
