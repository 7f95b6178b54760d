-- CreateIndex
CREATE INDEX CONCURRENTLY "audit_records_chain_trace_id_created_at_id_idx" ON "audit_records"("chain", "trace_id", "created_at" DESC, "id" DESC);
