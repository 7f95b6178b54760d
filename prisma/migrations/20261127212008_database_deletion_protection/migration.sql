-- AlterTable
ALTER TABLE "database_services" ADD COLUMN     "deletion_protection" BOOLEAN NOT NULL DEFAULT false;
