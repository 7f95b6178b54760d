-- CreateIndex
CREATE INDEX CONCURRENTLY "webhook_deliveries_by_time" ON "webhook_deliveries"("created_at");
