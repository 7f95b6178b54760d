-- CreateIndex
CREATE INDEX CONCURRENTLY "snapshots_living_of_account" ON "snapshots"("account_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
