-- CreateIndex
CREATE INDEX CONCURRENTLY "audit_records_chain_status_created_at_id_idx" ON "audit_records"("chain", "status", "created_at" DESC, "id" DESC);
