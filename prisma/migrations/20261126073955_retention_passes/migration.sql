-- CreateTable
CREATE TABLE "retention_passes" (
    "name" TEXT NOT NULL,
    "fence" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),
    "removed" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "retention_passes_pkey" PRIMARY KEY ("name")
);

INSERT INTO "retention_passes" ("name", "started_at") VALUES ('requests', now());
