-- AlterTable
ALTER TABLE "database_servers" ADD COLUMN     "pending" JSONB;
