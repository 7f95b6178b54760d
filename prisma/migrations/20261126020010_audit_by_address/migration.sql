-- CreateIndex
CREATE INDEX CONCURRENTLY "audit_records_chain_address_created_at_id_idx" ON "audit_records"("chain", "address", "created_at" DESC, "id" DESC);
