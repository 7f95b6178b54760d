-- AlterTable
ALTER TABLE "providers" ADD COLUMN     "permissions_boundary" TEXT;
