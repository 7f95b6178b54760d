-- CreateIndex
CREATE INDEX CONCURRENTLY "alerts_account_id_severity_created_at_id_idx" ON "alerts"("account_id", "severity", "created_at" DESC, "id" DESC);
