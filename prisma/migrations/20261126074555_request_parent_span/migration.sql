-- AlterTable
ALTER TABLE "requests" ADD COLUMN     "parent_span" TEXT;
