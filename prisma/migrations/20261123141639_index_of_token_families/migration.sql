-- CreateIndex
CREATE INDEX CONCURRENTLY "tokens_parent_id_idx" ON "tokens"("parent_id");
