-- DropIndex
DROP INDEX CONCURRENTLY "events_created_at_idx";
