-- CreateIndex
CREATE INDEX CONCURRENTLY "requests_finished_of_account" ON "requests"("account_id", "finished_at" DESC, "id" DESC) WHERE (finished_at IS NOT NULL);
