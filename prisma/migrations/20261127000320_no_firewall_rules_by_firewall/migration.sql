-- DropIndex
DROP INDEX CONCURRENTLY "firewall_rules_one_living_of_a_kind";
