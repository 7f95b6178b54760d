import type { Db } from "@gantry/db";
import type { Aws } from "../aws/clients.js";
import type { ClaimedRegion } from "./region-claim.js";

/** The context of a step in one region. */
export interface ScanContext {
  db: Db;
  claimed: ClaimedRegion;
  quietSeconds: number;
  /**
   * Makes one call to AWS, without retries.
   *
   * @throws YieldToUsers where the scan may make no further call for now
   */
  call<T>(describe: (aws: Aws) => Promise<T>): Promise<T>;
}

/** One part of a scan: the pages of one kind of records or objects. */
export interface ScanStep {
  name: string;
  /** Compares a page, with at most one call. Gives the cursor of the next page; null after the last. */
  page(context: ScanContext, after: string | null): Promise<string | null>;
  /** Deletes the findings that a complete step, begun at `since`, did not find again. */
  end(context: ScanContext, since: string): Promise<void>;
}

/** Ends a worker's scan of a region before its last step. */
export class YieldToUsers extends Error {}
