-- AlterTable
ALTER TABLE "database_servers" ADD COLUMN     "iops" INTEGER;
