-- AlterTable
ALTER TABLE "servers" ADD COLUMN     "alternatives" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "leaving_zone" TEXT;
