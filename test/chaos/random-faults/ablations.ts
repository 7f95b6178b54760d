import { fileURLToPath } from "node:url";
import type { FleetOptions } from "./fleet.js";
import type { Finding } from "./invariants.js";

const preload = (name: string) => [fileURLToPath(new URL(`ablations/${name}.mjs`, import.meta.url))];

/** What takes one protection out of the workers, or of the database. */
export interface Sabotage extends FleetOptions {
  sql?: string;
  /** What the checker must then find: one of these at least. */
  shows: (keyof Finding)[];
}

/** The protections that a campaign must be red without. */
export const SABOTAGES: Readonly<Record<string, Sabotage>> = {
  fence: {
    shows: ["unfenced"],
    sql: `CREATE FUNCTION keep_fence() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN NEW.fence := OLD.fence; RETURN NEW; END $$;
          CREATE TRIGGER a_sabotage BEFORE UPDATE ON requests FOR EACH ROW EXECUTE FUNCTION keep_fence();
          CREATE OR REPLACE FUNCTION hold_request_unseen(request uuid, held integer) RETURNS timestamptz LANGUAGE sql AS
            $$ SELECT cancel_requested_at FROM requests WHERE id = request $$;`,
  },
  sweep: { shows: ["stuck"], workerSettings: { SWEEP_SECONDS: "1000000" } },
  find: { shows: ["duplicated", "leaked"], preloads: preload("find") },
  compensation: { shows: ["leaked", "untold"], preloads: preload("compensation") },
};
