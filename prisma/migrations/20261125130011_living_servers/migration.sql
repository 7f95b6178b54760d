-- CreateIndex
CREATE INDEX CONCURRENTLY "servers_living_of_account" ON "servers"("account_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
