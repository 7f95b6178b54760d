CREATE INDEX CONCURRENTLY "alerts_open_of_account" ON "alerts"("account_id", "severity") WHERE (finished_at IS NULL AND NOT ignored);
