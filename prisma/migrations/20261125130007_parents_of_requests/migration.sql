-- DropIndex
DROP INDEX CONCURRENTLY "requests_parent_id_idx";
