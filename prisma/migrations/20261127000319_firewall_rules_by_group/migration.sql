-- CreateIndex
CREATE UNIQUE INDEX CONCURRENTLY "firewall_rules_one_living_in_a_group" ON "firewall_rules"("firewall_id", "source", "port_range", "protocol", "application_only") WHERE (deleted_at IS NULL);
