-- CreateIndex
CREATE INDEX CONCURRENTLY "requests_finished_of_account" ON "requests"("account_id", "updated_at" DESC, "id" DESC) WHERE (finished_at IS NOT NULL);
