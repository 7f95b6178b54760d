import type { Refusal } from "../answer.js";
import type { Call } from "../call.js";
import type { SlownessSettings } from "../slowness.js";
import type { Xml } from "../xml.js";

/** What a rule may ask before it lets a call pass. */
export interface Question {
  call: Call;
  /** Asks the emulator in the caller's name. */
  read(service: string, params: Record<string, string>): Promise<Xml>;
  /** The state a thing is shown in while it is on its way to the next. */
  moving(id: string, what: keyof SlownessSettings): string | undefined;
}

/** Gives what AWS would refuse the call with, or undefined. */
export type Rule = (question: Question) => Promise<Refusal | undefined>;

/** The filter of an EC2 Describe call. */
export function filter(name: string, value: string): Record<string, string> {
  return { "Filter.1.Name": name, "Filter.1.Value.1": value };
}
