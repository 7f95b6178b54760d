/** The request types of the interleavings: two that can be cancelled, two that cannot, one of them a parent. */
export type ModelType =
  | "provision_network"
  | "deprovision_network"
  | "provision_provider"
  | "discover_provider_locations";

/** The length of a lease. No sum of clock steps comes near it, so that real seconds never matter. */
export const LEASE_SECONDS = 3300;

/** The expected state of a Request. Times are seconds of the model's clock. */
export interface ModelRequest {
  type: ModelType;
  resource: string;
  /** The Requests of one queue run one after the other. A child on its parent's resource has no queue. */
  queue: string | null;
  parent: number | null;
  fence: number;
  stage: string | null;
  dueAt: number;
  deadlineAt: number;
  /** Null if no worker has a lease. */
  leaseUntil: number | null;
  isStarted: boolean;
  isEnded: boolean;
  isSuccessful: boolean;
  isCancelled: boolean;
  isRollingBack: boolean;
  /** Notified since its claim: its next sleep ends at once. */
  isNotified: boolean;
  /** Sleeps until the last child has ended. */
  awaitsAll: boolean;
}

/** The lease that a worker got by a claim. A worker may use it after it has been lost. */
export interface ModelLease {
  request: number;
  fence: number;
  worker: number;
  isFrozen: boolean;
  hasIntent: boolean;
  /** The number that the worker saw when it last checked. */
  unfinishedChildren: number;
}

export interface Model {
  clock: number;
  /** In the order of acceptance. */
  requests: ModelRequest[];
  leases: Record<string, ModelLease>;
  /** The last value written to the record that all workers share. */
  record: string;
  /** The ids in the ledger, by resource. */
  ledger: Record<string, string | null>;
}

export const emptyModel = (record: string): Model => ({ clock: 0, requests: [], leases: {}, record, ledger: {} });

export const leaseName = (request: number, fence: number) => `${request}#${fence}`;
