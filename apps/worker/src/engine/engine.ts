import type { Vault } from "@gantry/db";
import type { JobQueues } from "@gantry/queue";
import type { Log } from "@gantry/runtime";
import type { CloudKind } from "./cloud-kind.js";
import type { CloudLocation, CloudScope } from "./cloud-scope.js";
import type { ClassifyCloudError } from "./error-policy.js";
import type { Journal } from "./journal.js";
import type { Lease } from "./lease.js";
import type { LeaseHolder } from "./lease-holder.js";
import type { Ledger } from "./ledger.js";
import type { PendingWork } from "./pending-work.js";
import type { RunState } from "./run-state.js";
import type { AnyWorkflow, Callback, StageContext } from "./workflow.js";

/** Everything that running Requests needs. */
export interface Engine<Cloud> extends LeaseHolder {
  jobs: Pick<JobQueues, "add" | "wake" | "ensureJobs" | "notifyWebhooks">;
  log: Log;
  /** By request type. */
  workflows: ReadonlyMap<string, AnyWorkflow<Cloud>>;
  /** By name in the ledger. */
  kinds: ReadonlyMap<string, CloudKind<Cloud>>;
  /** Opens one provider in one region for an account; throws PermanentFailure for another account's provider. */
  connect(location: CloudLocation, accountId: string): Promise<Cloud>;
  /** Returns the callback of a Request, as `StageContext.callback` does. */
  callbackOf(requestId: string): Callback | undefined;
  classify: ClassifyCloudError;
  /** Decrypts the encrypted columns of the database. */
  vault: Pick<Vault, "decrypt" | "encrypt">;
  /** The longest time until the cloud shows a created object. */
  visibilitySeconds: number;
}

/** Receives the progress of a run. */
export interface RunView {
  /** A stage begins; `percent` of the stages are completed. */
  enter(stage: string, percent: number): void;
  /** A message about what happened, such as the error after which the run tries again. */
  log(message: string): void;
}

/** One run of a Request: from its claim until it sleeps, ends, or loses its lease. */
export interface Run<Cloud> {
  engine: Engine<Cloud>;
  workflow: AnyWorkflow<Cloud>;
  state: RunState;
  lease: Lease;
  journal: Journal;
  ledger: Ledger;
  context: StageContext<Cloud, never>;
  /** The cloud work of the stages. */
  work: PendingWork;
  /** Opens a region for the engine itself, also after the stages have ended. */
  cloud(location: CloudLocation): CloudScope<Cloud>;
  log: Log;
  view: RunView;
}
