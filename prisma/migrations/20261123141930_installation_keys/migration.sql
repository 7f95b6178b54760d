-- CreateTable
CREATE TABLE "installation_keys" (
    "name" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installation_keys_pkey" PRIMARY KEY ("name")
);
