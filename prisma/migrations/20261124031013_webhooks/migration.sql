-- CreateEnum
CREATE TYPE "DeliveryState" AS ENUM ('pending', 'delivered', 'failed');

-- AlterTable
ALTER TABLE "alerts" ADD COLUMN     "webhook_id" UUID;

-- CreateTable
CREATE TABLE "webhooks" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "description" TEXT NOT NULL DEFAULT '',
    "secret" BYTEA NOT NULL,
    "previous_secret" BYTEA,
    "previous_secret_until" TIMESTAMPTZ(3),
    "base_url" TEXT NOT NULL,
    "position" BIGINT NOT NULL,
    "seq" BIGINT NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "resumes_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" TEXT,
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "position" BIGINT,
    "seq" BIGINT,
    "type" TEXT NOT NULL,
    "state" "DeliveryState" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "attempted_at" TIMESTAMPTZ(3),
    "status" INTEGER,
    "answer" TEXT,
    "error" TEXT,
    "duration_ms" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhooks_account_id_created_at_id_idx" ON "webhooks"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "webhooks_account_id_id_key" ON "webhooks"("account_id", "id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_webhook_id_created_at_id_idx" ON "webhook_deliveries"("webhook_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries"("webhook_id", "next_attempt_at") WHERE (next_attempt_at IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "webhook_deliveries_webhook_id_position_seq_key" ON "webhook_deliveries"("webhook_id", "position", "seq");

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_account_id_webhook_id_fkey" FOREIGN KEY ("account_id", "webhook_id") REFERENCES "webhooks"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE FUNCTION tell_of_disabled_webhook() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  record json := to_json(to_jsonb(NEW) - '{secret,previous_secret}'::text[]);
BEGIN
  INSERT INTO events (account_id, position, type, subject_type, subject_id, record, message)
  SELECT NEW.account_id, added + pg_current_xact_id()::text::bigint, 'webhook.disabled', 'webhook', NEW.id, record,
    NEW.disabled_reason
  FROM event_clocks;
  RETURN NULL;
END $$;

CREATE TRIGGER tell AFTER UPDATE ON "webhooks" FOR EACH ROW
  WHEN (OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL) EXECUTE FUNCTION tell_of_disabled_webhook();
