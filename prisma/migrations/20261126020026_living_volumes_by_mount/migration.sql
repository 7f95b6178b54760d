-- CreateIndex
CREATE INDEX CONCURRENTLY "volumes_living_by_mount" ON "volumes"("account_id", "mount", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
