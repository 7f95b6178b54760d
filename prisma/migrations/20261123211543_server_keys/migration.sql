-- AlterTable
ALTER TABLE "servers" ADD COLUMN     "authorized_keys" TEXT,
ADD COLUMN     "keys_asked_at" TIMESTAMPTZ(3),
ADD COLUMN     "keys_current" BOOLEAN NOT NULL DEFAULT false;
