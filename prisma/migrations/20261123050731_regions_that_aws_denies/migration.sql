-- AlterTable
ALTER TABLE "provider_locations" ADD COLUMN     "disabled_reason" TEXT;

-- AlterTable
ALTER TABLE "providers" ADD COLUMN     "home_region" TEXT;
