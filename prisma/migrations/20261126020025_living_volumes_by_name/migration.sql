-- CreateIndex
CREATE INDEX CONCURRENTLY "volumes_living_by_name" ON "volumes"("account_id", "name", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
