-- CreateTable
CREATE TABLE "offer_lists" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "compute" JSONB,
    "databases" JSONB,
    "read_at" TIMESTAMPTZ(3),
    "tried_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "message" TEXT,

    CONSTRAINT "offer_lists_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "instance_types" (
    "name" TEXT NOT NULL,
    "vcpus" INTEGER NOT NULL,
    "memory_mib" INTEGER NOT NULL,
    "architecture" TEXT NOT NULL,
    "is_burstable" BOOLEAN NOT NULL,
    "ebs_optimized" BOOLEAN NOT NULL,

    CONSTRAINT "instance_types_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "offer_lists_account_id_idx" ON "offer_lists"("account_id");

-- AddForeignKey
ALTER TABLE "offer_lists" ADD CONSTRAINT "offer_lists_id_fkey" FOREIGN KEY ("id") REFERENCES "provider_locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
