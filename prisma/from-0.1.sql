-- Brings a database of version 0.1 to the schema of version 0.2.0, whose migrations begin with one baseline. Stop both
-- apps and make a backup, then: psql "$DATABASE_OWNER_URL" -v ON_ERROR_STOP=1 -f prisma/from-0.1.sql
BEGIN;

DO $$ BEGIN
  IF EXISTS (SELECT FROM _prisma_migrations WHERE migration_name = '20261127120000_baseline') THEN
    RAISE EXCEPTION 'this database has the schema of version 0.2.0 already';
  END IF;
  IF NOT EXISTS (SELECT FROM _prisma_migrations WHERE migration_name = '20261126074555_request_parent_span' AND finished_at IS NOT NULL) THEN
    RAISE EXCEPTION 'this database is older than version 0.1.0; start the API of version 0.1.0 on it first';
  END IF;
END $$;

ALTER TABLE "drift_places" RENAME TO "drift_regions";
ALTER TABLE "drift_regions" RENAME COLUMN "last_looked_at" TO "last_scanned_at";
ALTER TABLE "drift_regions" RENAME CONSTRAINT "drift_places_pkey" TO "drift_regions_pkey";
ALTER TABLE "drift_regions" RENAME CONSTRAINT "drift_places_id_fkey" TO "drift_regions_id_fkey";
ALTER INDEX "drift_places_due_at_idx" RENAME TO "drift_regions_due_at_idx";
ALTER INDEX "drift_places_account_id_idx" RENAME TO "drift_regions_account_id_idx";
ALTER TABLE "drift_regions" ADD COLUMN IF NOT EXISTS "left_out" TEXT[] DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "drift_regions" ALTER COLUMN "left_out" DROP NOT NULL;

ALTER TABLE "providers" ADD COLUMN IF NOT EXISTS "next_credentials" BYTEA,
  ADD COLUMN IF NOT EXISTS "next_role_arn" TEXT,
  ADD COLUMN IF NOT EXISTS "credentials_replaced_at" TIMESTAMPTZ(3);

CREATE INDEX IF NOT EXISTS "provider_locations_location_id_idx" ON "provider_locations"("location_id");
CREATE UNIQUE INDEX IF NOT EXISTS "firewall_rules_one_living_in_a_group" ON "firewall_rules"("firewall_id", "source", "port_range", "protocol", "application_only") WHERE (deleted_at IS NULL);
DROP INDEX IF EXISTS "firewall_rules_one_living_of_a_kind";

DROP FUNCTION hold_fence;

-- Texts that look alike are alike from now on (NFC). A name stays as it is if another living record would then have the same.
UPDATE "applications" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED AND NOT EXISTS (
  SELECT 1 FROM "applications" AS other WHERE other."account_id" = "applications"."account_id" AND other."id" <> "applications"."id"
    AND other."deleted_at" IS NULL AND normalize(other."name") = normalize("applications"."name"));
UPDATE "database_services" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED AND NOT EXISTS (
  SELECT 1 FROM "database_services" AS other WHERE other."account_id" = "database_services"."account_id" AND other."id" <> "database_services"."id"
    AND other."deleted_at" IS NULL AND normalize(other."name") = normalize("database_services"."name"));
UPDATE "environments" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED AND NOT EXISTS (
  SELECT 1 FROM "environments" AS other WHERE other."account_id" = "environments"."account_id" AND other."id" <> "environments"."id"
    AND other."deleted_at" IS NULL AND normalize(other."name") = normalize("environments"."name"));
UPDATE "accounts" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;
UPDATE "alerts" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;
UPDATE "blueprints" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;
UPDATE "keypairs" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;
UPDATE "providers" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;
UPDATE "tokens" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;
UPDATE "users" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;

DELETE FROM _prisma_migrations;
INSERT INTO _prisma_migrations (id, migration_name, checksum, started_at, finished_at, applied_steps_count)
VALUES (gen_random_uuid(), '20261127120000_baseline', 'a82bb82da727f981ce62ca621cbf7272f5e1326d83187c86e10f970d98c0af6b', now(), now(), 1);

COMMIT;
