-- AlterTable
ALTER TABLE "tokens" ADD COLUMN     "session" BOOLEAN NOT NULL DEFAULT false;
