-- CreateIndex
CREATE INDEX CONCURRENTLY "events_of_record" ON "events"("account_id", "subject_type", "subject_id", "position", "seq") WHERE (request_id IS NULL);
