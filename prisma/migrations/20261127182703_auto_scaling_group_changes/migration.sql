-- AlterTable
ALTER TABLE "auto_scaling_groups" ADD COLUMN     "changing" JSONB,
ADD COLUMN     "flavor" TEXT;
