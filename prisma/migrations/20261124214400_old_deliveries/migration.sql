-- CreateIndex
CREATE INDEX CONCURRENTLY "webhook_deliveries_created_at_idx" ON "webhook_deliveries" USING BRIN ("created_at");
