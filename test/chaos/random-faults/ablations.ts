import { fileURLToPath } from "node:url";
import type { FleetOptions } from "./fleet.js";
import type { Violations } from "./invariants.js";

const preload = (name: string) => [fileURLToPath(new URL(`ablations/${name}.mjs`, import.meta.url))];

/** Disables one protection in the workers or in the database. */
export interface Ablation extends FleetOptions {
  sql?: string;
  /** The campaign must then find a violation of at least one of these kinds. */
  expectedViolations: (keyof Violations)[];
}

/** A campaign must find violations without each of these protections. */
export const ABLATIONS: Readonly<Record<string, Ablation>> = {
  fence: {
    expectedViolations: ["unfenced"],
    sql: `CREATE FUNCTION keep_fence() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN NEW.fence := OLD.fence; RETURN NEW; END $$;
          CREATE TRIGGER a_ablation BEFORE UPDATE ON requests FOR EACH ROW EXECUTE FUNCTION keep_fence();
          CREATE OR REPLACE FUNCTION hold_request_unaudited(request uuid, held integer) RETURNS timestamptz LANGUAGE sql AS
            $$ SELECT cancel_requested_at FROM requests WHERE id = request $$;`,
  },
  sweep: { expectedViolations: ["stuck"], workerSettings: { SWEEP_SECONDS: "1000000" } },
  find: { expectedViolations: ["duplicated", "leaked"], preloads: preload("find") },
  deliveries: { expectedViolations: ["undelivered"], preloads: preload("deliveries") },
  compensation: { expectedViolations: ["leaked", "misreported"], preloads: preload("compensation") },
};
