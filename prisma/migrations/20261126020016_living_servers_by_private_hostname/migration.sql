-- CreateIndex
CREATE INDEX CONCURRENTLY "servers_living_by_private_hostname" ON "servers"("account_id", "private_hostname", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
