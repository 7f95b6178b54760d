-- AlterTable
ALTER TABLE "external_identities" ADD COLUMN     "signed_in_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
