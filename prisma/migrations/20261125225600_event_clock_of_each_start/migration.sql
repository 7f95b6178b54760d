-- AlterTable
ALTER TABLE "event_clocks" ADD COLUMN     "server_started_at" TIMESTAMPTZ(6),
ADD COLUMN     "unused" int8multirange NOT NULL DEFAULT '{}'::int8multirange;

-- The positions so far are of the server that runs, unless this is a copy from another cluster.
UPDATE "event_clocks" SET "server_started_at" = pg_postmaster_start_time()
WHERE "system_identifier" IS NULL OR "system_identifier" = (SELECT system_identifier FROM pg_control_system());
