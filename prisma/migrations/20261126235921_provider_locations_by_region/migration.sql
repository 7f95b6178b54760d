-- CreateIndex
CREATE INDEX CONCURRENTLY "provider_locations_location_id_idx" ON "provider_locations"("location_id");
