-- CreateIndex
CREATE INDEX CONCURRENTLY "snapshots_living_by_environment_id" ON "snapshots"("account_id", "environment_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
