-- AlterTable
ALTER TABLE "database_servers" ADD COLUMN     "disappeared_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "volumes" ADD COLUMN     "disappeared_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "drift_places" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "region" TEXT NOT NULL,
    "last_looked_at" TIMESTAMPTZ(3),
    "message" TEXT,
    "cursor" JSONB,
    "calls" INTEGER NOT NULL DEFAULT 0,
    "period_ends_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "fence" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),

    CONSTRAINT "drift_places_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "drifts" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "region" TEXT NOT NULL,
    "finding" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "cloud_id" TEXT NOT NULL,
    "resource_type" TEXT,
    "resource_id" TEXT,
    "before" JSONB,
    "after" JSONB,
    "tags" JSONB NOT NULL DEFAULT '{}',
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "drifts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "drift_places_due_at_idx" ON "drift_places"("due_at");

-- CreateIndex
CREATE INDEX "drift_places_account_id_idx" ON "drift_places"("account_id");

-- CreateIndex
CREATE INDEX "drifts_account_id_created_at_id_idx" ON "drifts"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "drifts_provider_id_region_kind_cloud_id_finding_key" ON "drifts"("provider_id", "region", "kind", "cloud_id", "finding");

-- AddForeignKey
ALTER TABLE "drift_places" ADD CONSTRAINT "drift_places_id_fkey" FOREIGN KEY ("id") REFERENCES "provider_locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "drifts" ADD CONSTRAINT "drifts_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
