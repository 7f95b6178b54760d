-- CreateIndex
CREATE INDEX CONCURRENTLY "servers_living_by_name" ON "servers"("account_id", "name", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
