import { fileURLToPath } from "node:url";
import type { FleetOptions } from "./fleet.js";
import type { Violations } from "./invariants.js";

const preload = (name: string) => [fileURLToPath(new URL(`ablations/${name}.mjs`, import.meta.url))];

/** What takes one protection out of the workers, or of the database. */
export interface Ablation extends FleetOptions {
  sql?: string;
  /** What the checker must then find: one of these at least. */
  expectedViolations: (keyof Violations)[];
}

/** The protections that a campaign must be red without. */
export const ABLATIONS: Readonly<Record<string, Ablation>> = {
  fence: {
    expectedViolations: ["unfenced"],
    sql: `CREATE FUNCTION keep_fence() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN NEW.fence := OLD.fence; RETURN NEW; END $$;
          CREATE TRIGGER a_sabotage BEFORE UPDATE ON requests FOR EACH ROW EXECUTE FUNCTION keep_fence();
          CREATE OR REPLACE FUNCTION hold_request_unseen(request uuid, held integer) RETURNS timestamptz LANGUAGE sql AS
            $$ SELECT cancel_requested_at FROM requests WHERE id = request $$;`,
  },
  sweep: { expectedViolations: ["stuck"], workerSettings: { SWEEP_SECONDS: "1000000" } },
  find: { expectedViolations: ["duplicated", "leaked"], preloads: preload("find") },
  compensation: { expectedViolations: ["leaked", "misreported"], preloads: preload("compensation") },
};
