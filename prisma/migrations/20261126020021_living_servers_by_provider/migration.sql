-- CreateIndex
CREATE INDEX CONCURRENTLY "servers_living_by_provider_id" ON "servers"("account_id", "provider_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
