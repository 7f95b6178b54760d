-- CreateIndex
CREATE INDEX CONCURRENTLY "audit_records_chain_action_created_at_id_idx" ON "audit_records"("chain", "action", "created_at" DESC, "id" DESC);
