-- CreateIndex
CREATE INDEX CONCURRENTLY "audit_records_chain_created_at_id_idx" ON "audit_records"("chain", "created_at" DESC, "id" DESC);
