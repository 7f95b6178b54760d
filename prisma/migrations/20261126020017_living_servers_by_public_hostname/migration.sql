-- CreateIndex
CREATE INDEX CONCURRENTLY "servers_living_by_public_hostname" ON "servers"("account_id", "public_hostname", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
