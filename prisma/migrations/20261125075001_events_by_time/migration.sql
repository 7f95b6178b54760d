-- CreateIndex
CREATE INDEX CONCURRENTLY "events_by_time" ON "events"("created_at");
