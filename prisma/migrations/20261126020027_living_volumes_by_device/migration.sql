-- CreateIndex
CREATE INDEX CONCURRENTLY "volumes_living_by_device" ON "volumes"("account_id", "device", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
