-- CreateIndex
CREATE INDEX CONCURRENTLY "requests_failed_of_account" ON "requests"("account_id", "created_at" DESC, "id" DESC) WHERE (finished_at IS NOT NULL AND NOT successful);
