-- DropIndex
DROP INDEX CONCURRENTLY "alerts_database_server_id_idx";
