-- CreateIndex
CREATE INDEX CONCURRENTLY "alerts_account_id_external_id_created_at_id_idx" ON "alerts"("account_id", "external_id", "created_at" DESC, "id" DESC);
