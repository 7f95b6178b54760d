
-- AlterTable
ALTER TABLE "requests" ADD COLUMN     "awaited_children" INTEGER NOT NULL DEFAULT 0;
