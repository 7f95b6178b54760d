-- CreateIndex
CREATE INDEX CONCURRENTLY "alerts_account_id_name_created_at_id_idx" ON "alerts"("account_id", "name", "created_at" DESC, "id" DESC);
