-- CreateIndex
CREATE INDEX CONCURRENTLY "servers_account_id_name_idx" ON "servers"("account_id", "name");
