-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "open_request_limit" INTEGER;

-- AlterTable
ALTER TABLE "idempotency_keys" ADD COLUMN     "account_id" UUID;

-- CreateIndex
CREATE INDEX "requests_open_of_account" ON "requests"("account_id") WHERE (finished_at IS NULL AND parent_id IS NULL);
