-- CreateIndex
CREATE INDEX CONCURRENTLY "servers_living_by_environment_id" ON "servers"("account_id", "environment_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
