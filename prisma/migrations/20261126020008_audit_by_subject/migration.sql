-- CreateIndex
CREATE INDEX CONCURRENTLY "audit_records_chain_subject_created_at_id_idx" ON "audit_records"("chain", "subject", "created_at" DESC, "id" DESC);
