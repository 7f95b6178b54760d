import type { Db, Vault } from "@gantry/db";
import type { RequestNotifier } from "@gantry/requests";
import type { Log } from "@gantry/runtime";
import type { CloudKind } from "./cloud-kind.js";
import type { CloudLocation, CloudScope } from "./cloud-scope.js";
import type { ClassifyCloudError } from "./error-policy.js";
import type { Journal } from "./journal.js";
import type { Lease, LeaseDurations } from "./lease.js";
import type { Ledger } from "./ledger.js";
import type { PendingWork } from "./pending-work.js";
import type { AnyWorkflow, Callback, StageContext } from "./workflow.js";

/** All that running Requests needs. */
export interface Engine<Cloud> extends LeaseDurations {
  db: Db;
  notifier: Pick<RequestNotifier, "notify">;
  log: Log;
  workflows: ReadonlyMap<string, AnyWorkflow<Cloud>>;
  kinds: ReadonlyMap<string, CloudKind<Cloud>>;
  /** Opens the cloud of one provider and region for an account; refuses another account's provider. */
  connect(location: CloudLocation, accountId: string): Promise<Cloud>;
  /** Where what a Request makes reports to it by itself; undefined where no address of the API is known. */
  callbackOf(requestId: string): Callback | undefined;
  classify: ClassifyCloudError;
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
  work: PendingWork;
  /** Hands for the engine itself, when the stages are over. */
  scope(location: CloudLocation): CloudScope<Cloud>;
  log: Log;
}
