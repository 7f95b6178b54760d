import type { Db, Vault } from "@gantry/db";
import type { Bell } from "@gantry/requests";
import type { Log } from "@gantry/runtime";
import type { CloudKind } from "./cloud-kind.js";
import type { Hands, Place } from "./hands.js";
import type { Journal } from "./journal.js";
import type { Lease, LeaseTimes } from "./lease.js";
import type { Ledger } from "./ledger.js";
import type { Classify } from "./verdict.js";
import type { WorkUnderWay } from "./work-under-way.js";
import type { AnyWorkflow, Callback, StageContext } from "./workflow.js";

/** All that running Requests needs. */
export interface Engine<Cloud> extends LeaseTimes {
  db: Db;
  bell: Pick<Bell, "ring">;
  log: Log;
  workflows: ReadonlyMap<string, AnyWorkflow<Cloud>>;
  kinds: ReadonlyMap<string, CloudKind<Cloud>>;
  /** Opens the cloud of one provider and region for an account; refuses another account's provider. */
  connect(place: Place, accountId: string): Promise<Cloud>;
  /** Where what a Request makes reports to it by itself; undefined where no address of the API is known. */
  callbackOf(requestId: string): Callback | undefined;
  classify: Classify;
  /** Opens what is sealed in the database. */
  vault: Pick<Vault, "open">;
  /** How long the cloud may take to show what was made, in seconds. */
  visibilitySeconds: number;
  isStopping(): boolean;
}

/** One run of a Request, and what it works with. */
export interface Run<Cloud> {
  engine: Engine<Cloud>;
  workflow: AnyWorkflow<Cloud>;
  lease: Lease;
  journal: Journal;
  ledger: Ledger;
  context: StageContext<Cloud, never>;
  /** What the stages are doing. */
  work: WorkUnderWay;
  /** Hands for the engine itself, when the stages are over. */
  hands(place: Place): Hands<Cloud>;
  log: Log;
}
