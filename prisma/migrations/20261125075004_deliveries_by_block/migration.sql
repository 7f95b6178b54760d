-- DropIndex
DROP INDEX CONCURRENTLY "webhook_deliveries_created_at_idx";
