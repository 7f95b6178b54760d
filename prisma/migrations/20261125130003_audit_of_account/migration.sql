-- DropIndex
DROP INDEX CONCURRENTLY "audit_records_account_id_created_at_id_idx";
