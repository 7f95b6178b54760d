-- DropIndex
DROP INDEX CONCURRENTLY "alerts_environment_id_idx";
