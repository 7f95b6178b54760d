-- CreateIndex
CREATE INDEX CONCURRENTLY "requests_leaking_of_account" ON "requests"("account_id") WHERE (leaked_resources <> '[]'::jsonb);
