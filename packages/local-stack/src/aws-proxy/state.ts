import type { Emulator } from "./emulator.js";
import type { Faults } from "./faults.js";
import type { Ledger } from "./ledger.js";
import type { Manners } from "./manners.js";
import type { Newcomers } from "./newcomers.js";
import type { PublishedRates } from "./published-rates.js";
import type { Slowness } from "./slowness.js";

/** What the proxy knows; the control reads and changes it. */
export interface ProxyState {
  emulator: Emulator;
  faults: Faults;
  newcomers: Newcomers;
  rates: PublishedRates;
  ledger: Ledger;
  slowness: Slowness;
  manners: Manners;
}
