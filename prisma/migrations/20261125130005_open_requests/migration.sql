-- DropIndex
DROP INDEX CONCURRENTLY "requests_open_of_account";
