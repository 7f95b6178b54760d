-- AlterTable
ALTER TABLE "auto_scaling_groups" ADD COLUMN     "disappeared_at" TIMESTAMPTZ(3);
