import type { Db } from "@gantry/db";
import type { Aws } from "../aws/clients.js";
import type { ClaimedRegion } from "./region-claim.js";

/** The context of a scan step. */
export interface ScanContext {
  db: Pick<Db, "$queryRaw" | "$executeRaw">;
  claimed: ClaimedRegion;
  quietSeconds: number;
  /** Objects in AWS that differ and were not compared, by their ids. */
  leftOut: Set<string>;
  /**
   * Makes one call to AWS, and sends it once.
   *
   * @throws YieldToUsers if the scan may make no more calls for now
   */
  call<T>(act: (aws: Aws) => Promise<T>): Promise<T>;
}

/** One step of a scan: the pages of one kind of object. */
export interface ScanStep {
  name: string;
  /** Compares one page, or what it can of it, and returns the token of the next page; null after the last. */
  page(context: ScanContext, after: string | null): Promise<string | null>;
  /** Deletes the findings that the complete step, which began at `since`, did not confirm. */
  end(context: ScanContext, since: string): Promise<void>;
}

/** Ends a worker's scan of a region. */
export class YieldToUsers extends Error {}
