-- CreateIndex
CREATE INDEX CONCURRENTLY "alerts_server_id_created_at_id_idx" ON "alerts"("server_id", "created_at" DESC, "id" DESC);
