-- CreateIndex
CREATE INDEX CONCURRENTLY "requests_children" ON "requests"("parent_id") WHERE (parent_id IS NOT NULL);
