-- AlterTable
ALTER TABLE "requests" ADD COLUMN     "leak_retries" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "leak_retry_at" TIMESTAMPTZ(3);

-- Lists of leaks name the rows of the ledger from now on. An object without a row was removed since, by a retry.
UPDATE "requests" SET "leak_retry_at" = now(), "leaked_resources" = coalesce((
  SELECT jsonb_agg(leak || jsonb_build_object('object', kept.id))
  FROM jsonb_array_elements("leaked_resources") leak, LATERAL (
    SELECT c.id FROM "cloud_objects" c
    WHERE c.account_id = "requests".account_id AND c.removed_at IS NULL AND c.kind = leak->>'kind'
      AND c.region = leak->>'region' AND c.cloud_id IS NOT DISTINCT FROM leak->>'id'
    ORDER BY c.request_id = "requests".id DESC, c.seq DESC LIMIT 1) kept), '[]'::jsonb)
WHERE "leaked_resources" <> '[]'::jsonb;
