-- CreateIndex
CREATE INDEX CONCURRENTLY "alerts_database_server_id_created_at_id_idx" ON "alerts"("database_server_id", "created_at" DESC, "id" DESC);
