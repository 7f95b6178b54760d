import type { AccountSettings } from "./account-settings.js";
import type { AwsBehaviour } from "./aws-behaviour.js";
import type { CallLog } from "./call-log.js";
import type { CatalogueMode } from "./catalogue/catalogue.js";
import type { Emulator } from "./emulator.js";
import type { EnabledRegions } from "./enabled-regions.js";
import type { EnforcedPolicies } from "./enforced-policies.js";
import type { FaultRules } from "./faults.js";
import type { ModelValidation } from "./models/violations.js";
import type { PublishedRates } from "./published-rates.js";
import type { TransitionDelays } from "./state-transitions.js";
import type { VisibilityDelay } from "./visibility-delay.js";

/** The proxy's components; the control endpoints read and change them. */
export interface ProxyContext {
  emulator: Emulator;
  models: ModelValidation;
  faults: FaultRules;
  visibility: VisibilityDelay;
  rates: PublishedRates;
  enabledRegions: EnabledRegions;
  policies: EnforcedPolicies;
  callLog: CallLog;
  transitionDelays: AccountSettings<TransitionDelays>;
  /** How far AWS's clock is ahead, in milliseconds. */
  clockOffsets: AccountSettings<number>;
  catalogueModes: AccountSettings<CatalogueMode>;
  behaviour: AwsBehaviour;
}
