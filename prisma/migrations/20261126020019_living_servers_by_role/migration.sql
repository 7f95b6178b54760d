-- CreateIndex
CREATE INDEX CONCURRENTLY "servers_living_by_role" ON "servers"("account_id", "role", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
