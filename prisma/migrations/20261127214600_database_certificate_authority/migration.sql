-- AlterTable
ALTER TABLE "database_servers" ADD COLUMN     "certificate_authority" TEXT;
