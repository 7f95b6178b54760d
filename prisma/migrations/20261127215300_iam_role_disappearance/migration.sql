-- AlterTable
ALTER TABLE "iam_roles" ADD COLUMN     "disappeared_at" TIMESTAMPTZ(3);
