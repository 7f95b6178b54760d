-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "requires_encryption" BOOLEAN NOT NULL DEFAULT false;
