-- DropIndex
DROP INDEX CONCURRENTLY "alerts_server_id_idx";
