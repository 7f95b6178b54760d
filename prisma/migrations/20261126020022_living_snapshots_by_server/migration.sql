-- CreateIndex
CREATE INDEX CONCURRENTLY "snapshots_living_by_server_id" ON "snapshots"("account_id", "server_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
