import type { AwsBehaviour } from "./aws-behaviour.js";
import type { CallLog } from "./call-log.js";
import type { Emulator } from "./emulator.js";
import type { FaultRules } from "./faults.js";
import type { PublishedRates } from "./published-rates.js";
import type { TransitionDelaySettings } from "./transition-delays.js";
import type { VisibilityDelay } from "./visibility-delay.js";

/** What the proxy knows; the control reads and changes it. */
export interface ProxyContext {
  emulator: Emulator;
  faults: FaultRules;
  visibilityDelay: VisibilityDelay;
  rates: PublishedRates;
  callLog: CallLog;
  transitionDelays: TransitionDelaySettings;
  behaviour: AwsBehaviour;
}
