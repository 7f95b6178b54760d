import type { AwsError } from "../aws-response.js";
import type { Call } from "../call.js";
import type { TransitionDelays } from "../transition-delays.js";
import type { Xml } from "../xml.js";

/** What a rule may ask before it lets a call pass. */
export interface ValidationContext {
  call: Call;
  /** Asks the emulator in the caller's name. */
  read(service: string, params: Record<string, string>): Promise<Xml>;
  /** The state a thing is shown in while it is on its way to the next. */
  transientState(id: string, what: keyof TransitionDelays): string | undefined;
}

/** Gives what AWS would refuse the call with, or undefined. */
export type Validation = (question: ValidationContext) => Promise<AwsError | undefined>;

/** The filter of an EC2 Describe call. */
export function filter(name: string, value: string): Record<string, string> {
  return { "Filter.1.Name": name, "Filter.1.Value.1": value };
}
