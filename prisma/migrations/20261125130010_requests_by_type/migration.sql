-- CreateIndex
CREATE INDEX CONCURRENTLY "requests_account_id_type_created_at_id_idx" ON "requests"("account_id", "type", "created_at" DESC, "id" DESC);
