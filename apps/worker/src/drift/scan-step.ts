import type { Db } from "@gantry/db";
import type { Aws } from "../aws/clients.js";
import type { ClaimedRegion } from "./region-claim.js";

/** What a step looks with. */
export interface ScanContext {
  db: Db;
  claimed: ClaimedRegion;
  quietSeconds: number;
  /**
   * Makes one call to AWS, which is sent once.
   *
   * @throws StandBack where the sweep may make no more for now
   */
  call<T>(act: (aws: Aws) => Promise<T>): Promise<T>;
}

/** One part of a pass: pages of one kind of thing. */
export interface ScanStep {
  name: string;
  /** Compares a page, with one call at most, and gives what the next one is asked with; null after the last. */
  page(context: ScanContext, after: string | null): Promise<string | null>;
  /** Forgets what a whole step that began at `since` did not find again. */
  end(context: ScanContext, since: string): Promise<void>;
}

/** Ends a worker's turn in a place. */
export class YieldToUsers extends Error {}
