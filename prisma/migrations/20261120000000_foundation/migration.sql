-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "stage_state" AS ENUM ('running', 'waiting', 'finished', 'failed');

-- CreateEnum
CREATE TYPE "role" AS ENUM ('owner', 'admin', 'member', 'viewer');

-- CreateEnum
CREATE TYPE "scope" AS ENUM ('read', 'write', 'secrets:read', 'admin');

-- CreateTable
CREATE TABLE "accounts" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "emergency_contact" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "iam_roles" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "path" TEXT NOT NULL DEFAULT '/',
    "arn" TEXT,
    "provisioned_id" TEXT,
    "instance_profile" BOOLEAN NOT NULL DEFAULT true,
    "user_managed_policy" BOOLEAN NOT NULL DEFAULT false,
    "policy_arn" TEXT,
    "policy" JSONB,
    "assume_role_policy_document" JSONB NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "iam_roles_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "networks" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "location" TEXT NOT NULL,
    "cidr" TEXT NOT NULL,
    "tenancy" TEXT NOT NULL DEFAULT 'default',
    "name" TEXT,
    "provisioned_id" TEXT,
    "route_table_id" TEXT,
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "networks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subnets" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "network_id" UUID NOT NULL,
    "location" TEXT NOT NULL,
    "cidr" TEXT NOT NULL,
    "name" TEXT,
    "primary" BOOLEAN NOT NULL DEFAULT false,
    "provisioned_id" TEXT,
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subnets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "providers" (
    "id" SERIAL NOT NULL,
    "account_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "name" TEXT,
    "provisioned_id" TEXT,
    "shared" BOOLEAN NOT NULL DEFAULT false,
    "role_arn" TEXT,
    "external_id" TEXT NOT NULL,
    "credentials" BYTEA,
    "cancelled_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "providers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "provider_locations" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "parent_id" UUID,
    "location_id" TEXT NOT NULL,
    "location_name" TEXT NOT NULL,
    "server_limit" INTEGER,
    "address_limit" INTEGER,
    "vpc_by_default" BOOLEAN NOT NULL DEFAULT true,
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "provider_locations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "requests" (
    "id" UUID NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "account_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "user_id" UUID,
    "parent_id" UUID,
    "resource_type" TEXT,
    "resource_id" TEXT,
    "queue_key" TEXT,
    "input" JSONB NOT NULL,
    "trace_id" TEXT NOT NULL,
    "stage" TEXT,
    "stage_attempts" INTEGER NOT NULL DEFAULT 0,
    "message" TEXT,
    "successful" BOOLEAN NOT NULL DEFAULT false,
    "waiting_for" TEXT,
    "rolling_back_since" TIMESTAMPTZ(3),
    "cancel_requested_at" TIMESTAMPTZ(3),
    "leaked_resources" JSONB NOT NULL DEFAULT '[]',
    "next_run_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,
    "wake" INTEGER NOT NULL DEFAULT 0,
    "fence" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(6),
    "takeovers" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "requests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "request_stages" (
    "request_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "state" "stage_state" NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "error" TEXT,

    CONSTRAINT "request_stages_pkey" PRIMARY KEY ("request_id","name")
);

-- CreateTable
CREATE TABLE "request_messages" (
    "id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "stage" TEXT,
    "message" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "request_messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "cloud_objects" (
    "id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "region" TEXT NOT NULL,
    "resource_type" TEXT NOT NULL,
    "resource_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "params" JSONB NOT NULL,
    "cloud_id" TEXT,
    "ready_at" TIMESTAMPTZ(3),
    "removed_at" TIMESTAMPTZ(3),
    "attempted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "cloud_objects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "user_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "request_id" UUID,
    "status" INTEGER,
    "body" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("user_id","key")
);

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "staff" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "role" "role" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tokens" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "scopes" "scope"[],
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tokens_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "iam_roles_account_id_created_at_id_idx" ON "iam_roles"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "iam_roles_account_id_id_key" ON "iam_roles"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "iam_roles_one_living_per_name" ON "iam_roles"("provider_id", "name") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "networks_account_id_created_at_id_idx" ON "networks"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "networks_account_id_id_key" ON "networks"("account_id", "id");

-- CreateIndex
CREATE INDEX "subnets_account_id_created_at_id_idx" ON "subnets"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "subnets_account_id_id_key" ON "subnets"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "subnets_one_living_per_cidr" ON "subnets"("network_id", "cidr") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "providers_account_id_created_at_id_idx" ON "providers"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "providers_account_id_id_key" ON "providers"("account_id", "id");

-- CreateIndex
CREATE INDEX "provider_locations_account_id_created_at_id_idx" ON "provider_locations"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "provider_locations_parent_id_idx" ON "provider_locations"("parent_id");

-- CreateIndex
CREATE UNIQUE INDEX "provider_locations_provider_id_location_id_key" ON "provider_locations"("provider_id", "location_id");

-- CreateIndex
CREATE UNIQUE INDEX "requests_seq_key" ON "requests"("seq");

-- CreateIndex
CREATE INDEX "requests_queue_per_resource" ON "requests"("queue_key", "seq") WHERE (finished_at IS NULL);

-- CreateIndex
CREATE INDEX "requests_resource_type_resource_id_created_at_idx" ON "requests"("resource_type", "resource_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "requests_due" ON "requests"("next_run_at") WHERE (finished_at IS NULL);

-- CreateIndex
CREATE INDEX "requests_parent_id_idx" ON "requests"("parent_id");

-- CreateIndex
CREATE INDEX "requests_account_id_created_at_id_idx" ON "requests"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "requests_user_id_created_at_id_idx" ON "requests"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "requests_one_running_per_resource" ON "requests"("queue_key") WHERE (started_at IS NOT NULL AND finished_at IS NULL);

-- CreateIndex
CREATE INDEX "request_messages_request_id_created_at_id_idx" ON "request_messages"("request_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "cloud_objects_request_id_seq_idx" ON "cloud_objects"("request_id", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "cloud_objects_one_living" ON "cloud_objects"("resource_type", "resource_id", "kind", "key") WHERE (removed_at IS NULL);

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "memberships_account_id_user_id_key" ON "memberships"("account_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "tokens_digest_key" ON "tokens"("digest");

-- CreateIndex
CREATE INDEX "tokens_user_id_created_at_id_idx" ON "tokens"("user_id", "created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "iam_roles" ADD CONSTRAINT "iam_roles_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "networks" ADD CONSTRAINT "networks_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_account_id_network_id_fkey" FOREIGN KEY ("account_id", "network_id") REFERENCES "networks"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "providers" ADD CONSTRAINT "providers_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "provider_locations" ADD CONSTRAINT "provider_locations_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "provider_locations" ADD CONSTRAINT "provider_locations_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "provider_locations"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "requests" ADD CONSTRAINT "requests_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "requests" ADD CONSTRAINT "requests_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "requests" ADD CONSTRAINT "requests_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "requests"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "request_stages" ADD CONSTRAINT "request_stages_request_id_fkey" FOREIGN KEY ("request_id") REFERENCES "requests"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "request_messages" ADD CONSTRAINT "request_messages_request_id_fkey" FOREIGN KEY ("request_id") REFERENCES "requests"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "cloud_objects" ADD CONSTRAINT "cloud_objects_request_id_fkey" FOREIGN KEY ("request_id") REFERENCES "requests"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;


-- Refuses the transaction of a worker that was replaced, and holds off a takeover until this one commits.
CREATE FUNCTION hold_fence(request uuid, held integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM requests WHERE id = request AND fence = held AND lease_until IS NOT NULL FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'fence % of request % is no longer held', held, request USING ERRCODE = 'GF001';
  END IF;
END $$;
