-- AlterTable
ALTER TABLE "request_messages" ADD COLUMN     "account_id" UUID,
ADD COLUMN     "resource_type" TEXT;
