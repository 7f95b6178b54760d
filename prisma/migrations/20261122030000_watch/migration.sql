-- AlterTable
ALTER TABLE "requests" ADD COLUMN     "watch" JSONB;
