-- CreateIndex
CREATE INDEX CONCURRENTLY "events_of_rare_type" ON "events"("account_id", "type", "position", "seq") WHERE (type <> ALL (ARRAY['request.accepted'::text, 'request.started'::text, 'request.stage'::text, 'request.waiting'::text, 'request.message'::text, 'request.finished'::text, 'resource.created'::text, 'resource.changed'::text]));
