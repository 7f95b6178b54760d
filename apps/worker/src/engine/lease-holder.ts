import type { Db } from "@gantry/db";

/** The worker that holds leases. */
export interface LeaseHolder {
  db: Db;
  /** The length of a lease that is not renewed: the longest silence of a worker that keeps its Requests. */
  leaseSeconds: number;
  /** The longest that one attempt at a call to the cloud may take. A lease outlasts every change that is under way. */
  callSeconds: number;
  isStopping(): boolean;
}
