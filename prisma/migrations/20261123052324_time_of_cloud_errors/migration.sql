-- AlterTable
ALTER TABLE "requests" ADD COLUMN     "cloud_wait" JSONB;
