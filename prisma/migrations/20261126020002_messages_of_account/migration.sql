-- CreateIndex
CREATE INDEX CONCURRENTLY "request_messages_account_id_resource_type_created_at_id_idx" ON "request_messages"("account_id", "resource_type", "created_at" DESC, "id" DESC);
