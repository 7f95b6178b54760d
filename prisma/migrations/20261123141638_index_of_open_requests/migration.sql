-- CreateIndex
CREATE INDEX CONCURRENTLY "requests_open_of_account" ON "requests"("account_id") WHERE (finished_at IS NULL AND parent_id IS NULL);
