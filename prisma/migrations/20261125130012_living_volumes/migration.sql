-- CreateIndex
CREATE INDEX CONCURRENTLY "volumes_living_of_account" ON "volumes"("account_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
