-- AlterTable
ALTER TABLE "servers" ADD COLUMN     "image_id" TEXT;
