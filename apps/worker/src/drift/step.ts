import type { Db } from "@gantry/db";
import type { Aws } from "../aws/clients.js";
import type { HeldPlace } from "./place.js";

/** What a step looks with. */
export interface Look {
  db: Db;
  place: HeldPlace;
  quietSeconds: number;
  /**
   * Makes one call to AWS, which is sent once.
   *
   * @throws StandBack where the sweep may make no more for now
   */
  call<T>(act: (aws: Aws) => Promise<T>): Promise<T>;
}

/** One part of a pass: pages of one kind of thing. */
export interface Step {
  name: string;
  /** Compares a page, with one call at most, and gives what the next one is asked with; null after the last. */
  page(look: Look, after: string | null): Promise<string | null>;
  /** Forgets what a whole step that began at `since` did not find again. */
  end(look: Look, since: string): Promise<void>;
}

/** Ends a worker's turn in a place. */
export class StandBack extends Error {}
