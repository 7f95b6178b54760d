import type { AwsError } from "../aws-response.js";
import type { Call } from "../call.js";
import type { Delay } from "../state-transitions.js";
import type { Xml } from "../xml.js";

/** The call to validate and queries about the state of the account. */
export interface ValidationContext {
  call: Call;
  /** Queries the emulator as the caller. */
  read(service: string, params: Record<string, string>): Promise<Xml>;
  /** Queries the emulator in another account. */
  readIn(accountId: string, service: string, params: Record<string, string>): Promise<Xml>;
  /** Returns the state that an object in transition shows. */
  transientState(id: string, delay: Delay): string | undefined;
}

/** Returns the error that AWS would reject the call with, or undefined. */
export type Validation = (context: ValidationContext) => Promise<AwsError | undefined>;

/** Builds the filter of an EC2 Describe call. */
export function filter(name: string, value: string): Record<string, string> {
  return { "Filter.1.Name": name, "Filter.1.Value.1": value };
}
