-- AlterTable
ALTER TABLE "database_services" ADD COLUMN     "next_password" BYTEA,
ADD COLUMN     "next_password_sent" BOOLEAN NOT NULL DEFAULT false;
