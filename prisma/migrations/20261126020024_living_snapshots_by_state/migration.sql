-- CreateIndex
CREATE INDEX CONCURRENTLY "snapshots_living_by_state" ON "snapshots"("account_id", "state", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
