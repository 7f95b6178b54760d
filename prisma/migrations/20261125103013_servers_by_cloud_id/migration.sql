-- CreateIndex
CREATE INDEX CONCURRENTLY "servers_account_id_provisioned_id_idx" ON "servers"("account_id", "provisioned_id");
