-- AlterTable
ALTER TABLE "tokens" ADD COLUMN     "identity_subject" TEXT,
ADD COLUMN     "trusted_audience" TEXT,
ADD COLUMN     "trusted_issuer" TEXT,
ADD COLUMN     "trusted_subject" TEXT;
