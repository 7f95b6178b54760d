-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "support_plan" TEXT NOT NULL DEFAULT 'community';

-- AlterTable
ALTER TABLE "providers" ADD COLUMN     "given_id" TEXT;
