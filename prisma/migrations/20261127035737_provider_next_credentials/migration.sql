-- AlterTable
ALTER TABLE "providers" ADD COLUMN     "credentials_replaced_at" TIMESTAMPTZ(3),
ADD COLUMN     "next_credentials" BYTEA,
ADD COLUMN     "next_role_arn" TEXT;
