-- CreateIndex
CREATE INDEX CONCURRENTLY "requests_unfinished_of_account" ON "requests"("account_id", "created_at" DESC, "id" DESC) WHERE (finished_at IS NULL);
