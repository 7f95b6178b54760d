-- CreateIndex
CREATE INDEX CONCURRENTLY "servers_living_by_provisioned_id" ON "servers"("account_id", "provisioned_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
