import type { Db } from "@gantry/db";

export interface AuditEntry {
  kind: "takeover" | "failure" | "attempt";
  requestId: string;
  at: Date;
}

/** Lets the database record takeovers and attempts, since later writes may hide them. */
export async function installAuditTriggers(db: Db): Promise<void> {
  await db.$executeRaw`CREATE TABLE audit_entries (kind text, request_id uuid, at timestamptz DEFAULT now())`;
  await db.$executeRaw`
    CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_TABLE_NAME = 'request_stages' THEN
        INSERT INTO audit_entries (kind, request_id) VALUES ('attempt', NEW.request_id);
        RETURN NULL;
      END IF;
      IF NEW.takeovers > OLD.takeovers THEN
        INSERT INTO audit_entries (kind, request_id) VALUES ('takeover', NEW.id);
      END IF;
      IF NEW.stage_attempts > OLD.stage_attempts THEN
        INSERT INTO audit_entries (kind, request_id) VALUES ('failure', NEW.id);
      END IF;
      RETURN NULL;
    END $$`;
  await db.$executeRaw`
    CREATE TRIGGER audit AFTER UPDATE OF takeovers, stage_attempts ON requests FOR EACH ROW
    WHEN (NEW.takeovers > OLD.takeovers OR NEW.stage_attempts > OLD.stage_attempts) EXECUTE FUNCTION audit()`;
  await db.$executeRaw`
    CREATE TRIGGER audit AFTER UPDATE OF attempts ON request_stages FOR EACH ROW
    WHEN (NEW.attempts > OLD.attempts) EXECUTE FUNCTION audit()`;
}

export function auditEntries(db: Db): Promise<AuditEntry[]> {
  return db.$queryRaw<AuditEntry[]>`SELECT kind, request_id::text AS "requestId", at FROM audit_entries ORDER BY at`;
}
