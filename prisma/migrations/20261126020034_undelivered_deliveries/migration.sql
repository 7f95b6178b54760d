-- CreateIndex
CREATE INDEX CONCURRENTLY "webhook_deliveries_not_delivered" ON "webhook_deliveries"("webhook_id", "state", "created_at" DESC, "id" DESC) WHERE (state <> 'delivered'::"DeliveryState");
