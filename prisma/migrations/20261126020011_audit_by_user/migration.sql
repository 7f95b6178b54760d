-- CreateIndex
CREATE INDEX CONCURRENTLY "audit_records_chain_user_id_created_at_id_idx" ON "audit_records"("chain", "user_id", "created_at" DESC, "id" DESC);
