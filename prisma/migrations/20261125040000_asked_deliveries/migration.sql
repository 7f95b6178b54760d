-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "asked_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "is_slow" BOOLEAN NOT NULL DEFAULT false;
