-- CreateIndex
CREATE INDEX CONCURRENTLY "audit_records_chain_token_id_created_at_id_idx" ON "audit_records"("chain", "token_id", "created_at" DESC, "id" DESC);
