-- AlterTable
ALTER TABLE "servers" ADD COLUMN     "pending_flavor" TEXT,
ADD COLUMN     "resizing" JSONB;
