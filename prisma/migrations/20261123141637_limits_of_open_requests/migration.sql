-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "open_request_limit" INTEGER;

-- AlterTable
ALTER TABLE "idempotency_keys" ADD COLUMN     "account_id" UUID;
