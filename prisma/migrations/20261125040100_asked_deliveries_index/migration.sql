-- CreateIndex
CREATE INDEX CONCURRENTLY "webhook_deliveries_asked" ON "webhook_deliveries"("webhook_id") WHERE (next_attempt_at IS NOT NULL AND (position IS NULL OR asked_at IS NOT NULL));
