-- CreateIndex
CREATE INDEX CONCURRENTLY "alerts_environment_id_created_at_id_idx" ON "alerts"("environment_id", "created_at" DESC, "id" DESC);
