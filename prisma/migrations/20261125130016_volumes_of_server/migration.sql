-- CreateIndex
CREATE INDEX CONCURRENTLY "volumes_server_id_idx" ON "volumes"("server_id");
