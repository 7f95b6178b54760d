-- AlterTable
ALTER TABLE "requests" ADD COLUMN     "user_is_service" BOOLEAN NOT NULL DEFAULT false;
