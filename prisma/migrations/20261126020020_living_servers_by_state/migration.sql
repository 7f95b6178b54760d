-- CreateIndex
CREATE INDEX CONCURRENTLY "servers_living_by_state" ON "servers"("account_id", "state", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
