-- AlterTable
ALTER TABLE "volumes" ADD COLUMN     "file_system_gb" INTEGER;
