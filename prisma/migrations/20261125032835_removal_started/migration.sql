-- AlterTable
ALTER TABLE "iam_roles" ADD COLUMN     "removal_started_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "networks" ADD COLUMN     "removal_started_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "subnets" ADD COLUMN     "removal_started_at" TIMESTAMPTZ(3);
