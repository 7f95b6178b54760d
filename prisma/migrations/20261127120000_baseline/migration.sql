-- The schema of version 0.2.0, as the models in prisma/ describe it. Functions and triggers are in prisma/functions.

CREATE TYPE "role" AS ENUM ('owner', 'admin', 'member', 'viewer');
CREATE TYPE "stage_state" AS ENUM ('running', 'waiting', 'finished', 'failed');
CREATE TYPE "scope" AS ENUM ('read', 'write', 'secrets:read', 'admin');
CREATE TYPE "DeliveryState" AS ENUM ('pending', 'delivered', 'failed');

CREATE TABLE "accounts" (
  "id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "emergency_contact" TEXT,
  "support_plan" TEXT NOT NULL DEFAULT 'community',
  "requires_encryption" BOOLEAN NOT NULL DEFAULT false,
  "open_request_limit" INTEGER,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "addresses" (
  "id" SERIAL NOT NULL,
  "account_id" UUID NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "location" TEXT NOT NULL,
  "server_id" INTEGER,
  "ip_address" TEXT,
  "provisioned_id" TEXT,
  "tags" JSONB NOT NULL DEFAULT '{}',
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "addresses_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "addresses_account_id_created_at_id_idx" ON "addresses"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "addresses_living_per_region" ON "addresses"("provider_id", "location") WHERE (deleted_at IS NULL);
CREATE INDEX "addresses_server_id_idx" ON "addresses"("server_id");
CREATE UNIQUE INDEX "addresses_account_id_id_key" ON "addresses"("account_id", "id");

CREATE TABLE "alerts" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "environment_id" INTEGER,
  "server_id" INTEGER,
  "database_server_id" UUID,
  "webhook_id" UUID,
  "external_id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "message" TEXT NOT NULL,
  "description" TEXT NOT NULL DEFAULT '',
  "severity" TEXT NOT NULL,
  "acknowledged" BOOLEAN NOT NULL DEFAULT false,
  "ignored" BOOLEAN NOT NULL DEFAULT false,
  "started_at" TIMESTAMPTZ(3),
  "finished_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "alerts_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "alerts_account_id_created_at_id_idx" ON "alerts"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "alerts_account_id_external_id_created_at_id_idx" ON "alerts"("account_id", "external_id", "created_at" DESC, "id" DESC);
CREATE INDEX "alerts_account_id_name_created_at_id_idx" ON "alerts"("account_id", "name", "created_at" DESC, "id" DESC);
CREATE INDEX "alerts_account_id_severity_created_at_id_idx" ON "alerts"("account_id", "severity", "created_at" DESC, "id" DESC);
CREATE INDEX "alerts_server_id_created_at_id_idx" ON "alerts"("server_id", "created_at" DESC, "id" DESC);
CREATE INDEX "alerts_database_server_id_created_at_id_idx" ON "alerts"("database_server_id", "created_at" DESC, "id" DESC);
CREATE INDEX "alerts_environment_id_created_at_id_idx" ON "alerts"("environment_id", "created_at" DESC, "id" DESC);

CREATE TABLE "applications" (
  "id" SERIAL NOT NULL,
  "account_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "type" TEXT NOT NULL,
  "language" TEXT NOT NULL,
  "repository" TEXT NOT NULL,
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "applications_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "applications_account_id_created_at_id_idx" ON "applications"("account_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "applications_account_id_id_key" ON "applications"("account_id", "id");
CREATE UNIQUE INDEX "applications_one_living_per_name" ON "applications"("account_id", "name") WHERE (deleted_at IS NULL);

CREATE TABLE "pending_audit_records" (
  "id" UUID NOT NULL,
  "account_id" UUID,
  "user_id" UUID,
  "token_id" UUID,
  "address" TEXT,
  "trace_id" TEXT NOT NULL,
  "action" TEXT NOT NULL,
  "subject" TEXT,
  "request_id" UUID,
  "changes" JSON NOT NULL,
  "status" INTEGER NOT NULL,
  "reason" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "pending_audit_records_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "audit_records" (
  "chain" UUID NOT NULL,
  "position" BIGINT NOT NULL,
  "hash" BYTEA NOT NULL,
  "id" UUID NOT NULL,
  "account_id" UUID,
  "user_id" UUID,
  "token_id" UUID,
  "address" TEXT,
  "trace_id" TEXT NOT NULL,
  "action" TEXT NOT NULL,
  "subject" TEXT,
  "request_id" UUID,
  "changes" JSON NOT NULL,
  "status" INTEGER NOT NULL,
  "reason" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "audit_records_pkey" PRIMARY KEY ("chain","position")
);
CREATE UNIQUE INDEX "audit_records_id_key" ON "audit_records"("id");
CREATE INDEX "audit_records_chain_created_at_id_idx" ON "audit_records"("chain", "created_at" DESC, "id" DESC);
CREATE INDEX "audit_records_chain_trace_id_created_at_id_idx" ON "audit_records"("chain", "trace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "audit_records_chain_request_id_created_at_id_idx" ON "audit_records"("chain", "request_id", "created_at" DESC, "id" DESC);
CREATE INDEX "audit_records_chain_subject_created_at_id_idx" ON "audit_records"("chain", "subject", "created_at" DESC, "id" DESC);
CREATE INDEX "audit_records_chain_token_id_created_at_id_idx" ON "audit_records"("chain", "token_id", "created_at" DESC, "id" DESC);
CREATE INDEX "audit_records_chain_address_created_at_id_idx" ON "audit_records"("chain", "address", "created_at" DESC, "id" DESC);
CREATE INDEX "audit_records_chain_user_id_created_at_id_idx" ON "audit_records"("chain", "user_id", "created_at" DESC, "id" DESC);
CREATE INDEX "audit_records_chain_action_created_at_id_idx" ON "audit_records"("chain", "action", "created_at" DESC, "id" DESC);
CREATE INDEX "audit_records_chain_status_created_at_id_idx" ON "audit_records"("chain", "status", "created_at" DESC, "id" DESC);

CREATE TABLE "unreported_audit_heads" (
  "chain" UUID NOT NULL,
  CONSTRAINT "unreported_audit_heads_pkey" PRIMARY KEY ("chain")
);

CREATE TABLE "auto_scaling_groups" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "environment_id" INTEGER NOT NULL,
  "region" TEXT NOT NULL,
  "minimum_size" INTEGER NOT NULL,
  "maximum_size" INTEGER NOT NULL,
  "desired_capacity" INTEGER NOT NULL,
  "provisioned_id" TEXT,
  "tags" JSONB NOT NULL DEFAULT '{}',
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "auto_scaling_groups_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "auto_scaling_groups_account_id_created_at_id_idx" ON "auto_scaling_groups"("account_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "auto_scaling_groups_account_id_id_key" ON "auto_scaling_groups"("account_id", "id");
CREATE UNIQUE INDEX "auto_scaling_groups_one_living_per_environment" ON "auto_scaling_groups"("environment_id") WHERE (deleted_at IS NULL);

CREATE TABLE "blueprints" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "environment_id" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "servers" JSONB NOT NULL,
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "blueprints_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "blueprints_account_id_created_at_id_idx" ON "blueprints"("account_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "blueprints_account_id_id_key" ON "blueprints"("account_id", "id");

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
  "tags" JSONB NOT NULL DEFAULT '{}',
  "cloud_id" TEXT,
  "ready_at" TIMESTAMPTZ(3),
  "removed_at" TIMESTAMPTZ(3),
  "attempted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "cloud_objects_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "cloud_objects_request_id_seq_idx" ON "cloud_objects"("request_id", "seq");
CREATE UNIQUE INDEX "cloud_objects_one_living" ON "cloud_objects"("resource_type", "resource_id", "kind", "key") WHERE (removed_at IS NULL);

CREATE TABLE "database_server_snapshots" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "database_server_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "region" TEXT NOT NULL,
  "engine" TEXT NOT NULL,
  "version" TEXT NOT NULL,
  "storage_gb" INTEGER NOT NULL,
  "state" TEXT NOT NULL DEFAULT 'starting',
  "progress" INTEGER NOT NULL DEFAULT 0,
  "provisioned_id" TEXT,
  "tags" JSONB NOT NULL DEFAULT '{}',
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "database_server_snapshots_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "database_server_snapshots_account_id_created_at_id_idx" ON "database_server_snapshots"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "database_server_snapshots_database_server_id_idx" ON "database_server_snapshots"("database_server_id");
CREATE UNIQUE INDEX "database_server_snapshots_account_id_id_key" ON "database_server_snapshots"("account_id", "id");

CREATE TABLE "database_servers" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "database_service_id" UUID NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "network_id" UUID,
  "replication_source_id" UUID,
  "region" TEXT NOT NULL,
  "location" TEXT NOT NULL,
  "engine" TEXT NOT NULL,
  "version" TEXT NOT NULL,
  "flavor" TEXT NOT NULL,
  "storage_gb" INTEGER NOT NULL,
  "storage_type" TEXT NOT NULL,
  "storage_encrypted" BOOLEAN NOT NULL DEFAULT false,
  "multi_az" BOOLEAN NOT NULL DEFAULT false,
  "backup_retention_period" INTEGER NOT NULL,
  "backup_window" JSONB NOT NULL,
  "maintenance_window" JSONB NOT NULL,
  "endpoint" TEXT,
  "username" TEXT,
  "password" BYTEA,
  "state" TEXT NOT NULL DEFAULT 'pending',
  "provisioned_id" TEXT,
  "provisioner_id" TEXT,
  "disappeared_at" TIMESTAMPTZ(3),
  "tags" JSONB NOT NULL DEFAULT '{}',
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "database_servers_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "database_servers_account_id_created_at_id_idx" ON "database_servers"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "database_servers_database_service_id_created_at_id_idx" ON "database_servers"("database_service_id", "created_at" DESC, "id" DESC);
CREATE INDEX "database_servers_replication_source_id_idx" ON "database_servers"("replication_source_id");
CREATE UNIQUE INDEX "database_servers_account_id_id_key" ON "database_servers"("account_id", "id");

CREATE TABLE "database_services" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "network_id" UUID,
  "environment_id" INTEGER,
  "vpc_provisioned_id" TEXT,
  "vpc_name" TEXT,
  "name" TEXT NOT NULL,
  "notes" TEXT,
  "region" TEXT NOT NULL,
  "service_level" TEXT NOT NULL,
  "email_alert_level" INTEGER NOT NULL DEFAULT 2,
  "engine" TEXT NOT NULL,
  "version" TEXT NOT NULL,
  "master_flavor" TEXT NOT NULL,
  "master_multi_az" BOOLEAN,
  "replica_count" INTEGER NOT NULL DEFAULT 0,
  "cluster_id" TEXT,
  "username" TEXT,
  "password" BYTEA,
  "tags" JSONB NOT NULL DEFAULT '{}',
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "database_services_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "database_services_account_id_created_at_id_idx" ON "database_services"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "database_services_network_id_idx" ON "database_services"("network_id");
CREATE UNIQUE INDEX "database_services_account_id_id_key" ON "database_services"("account_id", "id");
CREATE UNIQUE INDEX "database_services_one_living_per_name" ON "database_services"("account_id", "name") WHERE (deleted_at IS NULL);

CREATE TABLE "drift_regions" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "region" TEXT NOT NULL,
  "last_scanned_at" TIMESTAMPTZ(3),
  "message" TEXT,
  "left_out" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "cursor" JSONB,
  "calls" INTEGER NOT NULL DEFAULT 0,
  "period_ends_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "due_at" TIMESTAMPTZ(3) NOT NULL,
  "fence" INTEGER NOT NULL DEFAULT 0,
  "lease_until" TIMESTAMPTZ(3),
  CONSTRAINT "drift_regions_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "drift_regions_due_at_idx" ON "drift_regions"("due_at");
CREATE INDEX "drift_regions_account_id_idx" ON "drift_regions"("account_id");

CREATE TABLE "drifts" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "region" TEXT NOT NULL,
  "finding" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "cloud_id" TEXT NOT NULL,
  "resource_type" TEXT,
  "resource_id" TEXT,
  "before" JSONB,
  "after" JSONB,
  "tags" JSONB NOT NULL DEFAULT '{}',
  "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "drifts_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "drifts_account_id_created_at_id_idx" ON "drifts"("account_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "drifts_provider_id_region_kind_cloud_id_finding_key" ON "drifts"("provider_id", "region", "kind", "cloud_id", "finding");

CREATE TABLE "environments" (
  "id" SERIAL NOT NULL,
  "account_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "provider_id" INTEGER,
  "region" TEXT NOT NULL,
  "network_id" UUID,
  "vpc_provisioned_id" TEXT,
  "application_id" INTEGER,
  "database_stack" TEXT NOT NULL DEFAULT 'postgres9_4',
  "framework_env" TEXT NOT NULL DEFAULT 'production',
  "language" TEXT NOT NULL DEFAULT 'Ruby 2.2',
  "encrypted_ebs_for_everything" BOOLEAN NOT NULL DEFAULT false,
  "encrypted_database_ebs" BOOLEAN NOT NULL DEFAULT false,
  "database_backup_interval" INTEGER NOT NULL DEFAULT 24,
  "database_backup_limit" INTEGER NOT NULL DEFAULT 10,
  "snapshot_limit" INTEGER NOT NULL DEFAULT 10,
  "snapshot_retention" INTEGER NOT NULL DEFAULT 90,
  "deploy_method" TEXT NOT NULL DEFAULT 'serverside',
  "stack_name" TEXT NOT NULL DEFAULT 'nginx_passenger4',
  "takeover_preference" TEXT NOT NULL DEFAULT 'snapshot',
  "username" TEXT NOT NULL DEFAULT 'deploy',
  "release_label" TEXT NOT NULL DEFAULT 'stable',
  "service_level" TEXT NOT NULL DEFAULT 'default',
  "lock_db_version" BOOLEAN NOT NULL DEFAULT true,
  "internal_public_key" TEXT NOT NULL,
  "internal_private_key" BYTEA NOT NULL,
  "key_pair_name" TEXT,
  "firewall_id" INTEGER,
  "auto_scaling_group_id" UUID,
  "tags" JSONB NOT NULL DEFAULT '{}',
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "environments_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "environments_account_id_created_at_id_idx" ON "environments"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "environments_network_id_idx" ON "environments"("network_id");
CREATE UNIQUE INDEX "environments_account_id_id_key" ON "environments"("account_id", "id");
CREATE UNIQUE INDEX "environments_one_living_per_name" ON "environments"("account_id", "name") WHERE (deleted_at IS NULL);

CREATE TABLE "events" (
  "account_id" UUID NOT NULL,
  "position" BIGINT NOT NULL,
  "seq" BIGSERIAL NOT NULL,
  "type" TEXT NOT NULL,
  "subject_type" TEXT NOT NULL,
  "subject_id" TEXT NOT NULL,
  "request_id" UUID,
  "record" JSON NOT NULL,
  "message" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "events_pkey" PRIMARY KEY ("account_id","position","seq")
);
CREATE INDEX "events_of_request" ON "events"("request_id", "position", "seq") WHERE (request_id IS NOT NULL);
CREATE INDEX "events_of_record" ON "events"("account_id", "subject_type", "subject_id", "position", "seq") WHERE (request_id IS NULL);
CREATE INDEX "events_of_rare_type" ON "events"("account_id", "type", "position", "seq") WHERE (type <> ALL (ARRAY['request.accepted'::text, 'request.started'::text, 'request.stage'::text, 'request.waiting'::text, 'request.message'::text, 'request.finished'::text, 'resource.created'::text, 'resource.changed'::text]));
CREATE INDEX "events_by_time" ON "events"("created_at");

CREATE TABLE "event_clocks" (
  "only" BOOLEAN NOT NULL DEFAULT true,
  "system_identifier" BIGINT,
  "server_started_at" TIMESTAMPTZ(6),
  "added" BIGINT NOT NULL DEFAULT 0,
  "unused" int8multirange NOT NULL DEFAULT '{}'::int8multirange,
  "kept_from" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "event_clocks_pkey" PRIMARY KEY ("only")
);

CREATE TABLE "firewall_rules" (
  "id" SERIAL NOT NULL,
  "account_id" UUID NOT NULL,
  "firewall_id" INTEGER NOT NULL,
  "source" TEXT NOT NULL,
  "source_firewall_id" INTEGER,
  "port_range" TEXT NOT NULL,
  "protocol" TEXT NOT NULL,
  "application_only" BOOLEAN NOT NULL DEFAULT false,
  "provisioned_id" TEXT,
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "firewall_rules_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "firewall_rules_account_id_created_at_id_idx" ON "firewall_rules"("account_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "firewall_rules_account_id_id_key" ON "firewall_rules"("account_id", "id");
CREATE UNIQUE INDEX "firewall_rules_one_living_in_a_group" ON "firewall_rules"("firewall_id", "source", "port_range", "protocol", "application_only") WHERE (deleted_at IS NULL);

CREATE TABLE "firewalls" (
  "id" SERIAL NOT NULL,
  "account_id" UUID NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "region" TEXT NOT NULL,
  "vpc_provisioned_id" TEXT,
  "environment_id" INTEGER,
  "database_service_id" UUID,
  "name" TEXT NOT NULL,
  "provisioned_id" TEXT,
  "web_group_id" TEXT,
  "tags" JSONB NOT NULL DEFAULT '{}',
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "firewalls_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "firewalls_account_id_created_at_id_idx" ON "firewalls"("account_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "firewalls_account_id_id_key" ON "firewalls"("account_id", "id");
CREATE UNIQUE INDEX "firewalls_one_living_per_environment" ON "firewalls"("environment_id") WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX "firewalls_one_living_per_database_service" ON "firewalls"("database_service_id") WHERE (deleted_at IS NULL);

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
  "tags" JSONB NOT NULL DEFAULT '{}',
  "removal_started_at" TIMESTAMPTZ(3),
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "iam_roles_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "iam_roles_account_id_created_at_id_idx" ON "iam_roles"("account_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "iam_roles_account_id_id_key" ON "iam_roles"("account_id", "id");
CREATE UNIQUE INDEX "iam_roles_one_living_per_name" ON "iam_roles"("provider_id", "name") WHERE (deleted_at IS NULL);

CREATE TABLE "idempotency_keys" (
  "user_id" UUID NOT NULL,
  "key" TEXT NOT NULL,
  "account_id" UUID,
  "fingerprint" BYTEA NOT NULL,
  "request_id" UUID,
  "status" INTEGER,
  "body" JSONB,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("user_id","key")
);
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

CREATE TABLE "installation_keys" (
  "name" TEXT NOT NULL,
  "sealed" BYTEA NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "installation_keys_pkey" PRIMARY KEY ("name")
);

CREATE TABLE "invitations" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "email" TEXT NOT NULL,
  "role" "role" NOT NULL,
  "user_id" UUID NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "invitations_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "invitations_email_idx" ON "invitations"("email");
CREATE UNIQUE INDEX "invitations_one_open" ON "invitations"("account_id", "email") WHERE (deleted_at IS NULL);

CREATE TABLE "keypairs" (
  "id" SERIAL NOT NULL,
  "user_id" UUID,
  "application_id" INTEGER,
  "name" TEXT,
  "public_key" TEXT NOT NULL,
  "fingerprint" TEXT NOT NULL,
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "keypairs_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "keypairs_user_id_created_at_id_idx" ON "keypairs"("user_id", "created_at" DESC, "id" DESC);
CREATE INDEX "keypairs_application_id_created_at_id_idx" ON "keypairs"("application_id", "created_at" DESC, "id" DESC);

CREATE TABLE "memberships" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "user_id" UUID NOT NULL,
  "role" "role" NOT NULL,
  "from_groups" BOOLEAN NOT NULL DEFAULT false,
  "tokens_valid_from" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "memberships_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");
CREATE UNIQUE INDEX "memberships_account_id_user_id_key" ON "memberships"("account_id", "user_id");

CREATE TABLE "networks" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "location" TEXT NOT NULL,
  "cidr" TEXT NOT NULL,
  "tenancy" TEXT NOT NULL DEFAULT 'default',
  "private_subnets" BOOLEAN NOT NULL DEFAULT false,
  "name" TEXT,
  "provisioned_id" TEXT,
  "route_table_id" TEXT,
  "private_route_table_id" TEXT,
  "tags" JSONB NOT NULL DEFAULT '{}',
  "removal_started_at" TIMESTAMPTZ(3),
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "networks_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "networks_account_id_created_at_id_idx" ON "networks"("account_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "networks_account_id_id_key" ON "networks"("account_id", "id");

CREATE TABLE "offer_lists" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "compute" JSONB,
  "databases" JSONB,
  "read_at" TIMESTAMPTZ(3),
  "tried_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "message" TEXT,
  CONSTRAINT "offer_lists_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "offer_lists_account_id_idx" ON "offer_lists"("account_id");

CREATE TABLE "instance_types" (
  "name" TEXT NOT NULL,
  "vcpus" INTEGER NOT NULL,
  "memory_mib" INTEGER NOT NULL,
  "architecture" TEXT NOT NULL,
  "is_burstable" BOOLEAN NOT NULL,
  "ebs_optimized" BOOLEAN NOT NULL,
  CONSTRAINT "instance_types_pkey" PRIMARY KEY ("name")
);

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
  "disabled_reason" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "provider_locations_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "provider_locations_account_id_created_at_id_idx" ON "provider_locations"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "provider_locations_parent_id_idx" ON "provider_locations"("parent_id");
CREATE INDEX "provider_locations_location_id_idx" ON "provider_locations"("location_id");
CREATE UNIQUE INDEX "provider_locations_provider_id_location_id_key" ON "provider_locations"("provider_id", "location_id");

CREATE TABLE "providers" (
  "id" SERIAL NOT NULL,
  "account_id" UUID NOT NULL,
  "type" TEXT NOT NULL,
  "name" TEXT,
  "provisioned_id" TEXT,
  "given_id" TEXT,
  "shared" BOOLEAN NOT NULL DEFAULT false,
  "role_arn" TEXT,
  "external_id" TEXT NOT NULL,
  "home_region" TEXT,
  "permissions_boundary" TEXT,
  "credentials" BYTEA,
  "next_credentials" BYTEA,
  "next_role_arn" TEXT,
  "credentials_replaced_at" TIMESTAMPTZ(3),
  "cancelled_at" TIMESTAMPTZ(3),
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "providers_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "providers_account_id_created_at_id_idx" ON "providers"("account_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "providers_account_id_id_key" ON "providers"("account_id", "id");

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
  "parent_span" TEXT,
  "stage" TEXT,
  "stage_attempts" INTEGER NOT NULL DEFAULT 0,
  "message" TEXT,
  "successful" BOOLEAN NOT NULL DEFAULT false,
  "waiting_for" TEXT,
  "cloud_wait" JSONB,
  "awaited_children" INTEGER NOT NULL DEFAULT 0,
  "rolling_back_since" TIMESTAMPTZ(3),
  "cancel_requested_at" TIMESTAMPTZ(3),
  "leaked_resources" JSONB NOT NULL DEFAULT '[]',
  "leak_retries" INTEGER NOT NULL DEFAULT 0,
  "leak_retry_at" TIMESTAMPTZ(3),
  "report" JSONB,
  "next_run_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "deadline_at" TIMESTAMPTZ(3) NOT NULL,
  "watch" JSONB,
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
CREATE UNIQUE INDEX "requests_seq_key" ON "requests"("seq");
CREATE INDEX "requests_queue_per_resource" ON "requests"("queue_key", "seq") WHERE (finished_at IS NULL);
CREATE INDEX "requests_resource_type_resource_id_created_at_idx" ON "requests"("resource_type", "resource_id", "created_at" DESC);
CREATE INDEX "requests_due" ON "requests"("next_run_at") WHERE (finished_at IS NULL);
CREATE INDEX "requests_children" ON "requests"("parent_id") WHERE (parent_id IS NOT NULL);
CREATE INDEX "requests_unfinished_of_account" ON "requests"("account_id", "created_at" DESC, "id" DESC) WHERE (finished_at IS NULL);
CREATE INDEX "requests_failed_of_account" ON "requests"("account_id", "created_at" DESC, "id" DESC) WHERE (finished_at IS NOT NULL AND NOT successful);
CREATE INDEX "requests_finished_of_account" ON "requests"("account_id", "finished_at" DESC, "id" DESC) WHERE (finished_at IS NOT NULL);
CREATE INDEX "requests_account_id_type_created_at_id_idx" ON "requests"("account_id", "type", "created_at" DESC, "id" DESC);
CREATE INDEX "requests_leaking_of_account" ON "requests"("account_id") WHERE (leaked_resources <> '[]'::jsonb);
CREATE INDEX "requests_account_id_created_at_id_idx" ON "requests"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "requests_user_id_created_at_id_idx" ON "requests"("user_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "requests_one_running_per_resource" ON "requests"("queue_key") WHERE (started_at IS NOT NULL AND finished_at IS NULL);

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

CREATE TABLE "request_messages" (
  "id" UUID NOT NULL,
  "request_id" UUID NOT NULL,
  "account_id" UUID,
  "resource_type" TEXT,
  "stage" TEXT,
  "message" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "request_messages_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "request_messages_request_id_created_at_id_idx" ON "request_messages"("request_id", "created_at" DESC, "id" DESC);
CREATE INDEX "request_messages_account_id_resource_type_created_at_id_idx" ON "request_messages"("account_id", "resource_type", "created_at" DESC, "id" DESC);

CREATE TABLE "retention_passes" (
  "name" TEXT NOT NULL,
  "fence" INTEGER NOT NULL DEFAULT 0,
  "lease_until" TIMESTAMPTZ(3),
  "removed" INTEGER NOT NULL DEFAULT 0,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  "finished_at" TIMESTAMPTZ(3),
  CONSTRAINT "retention_passes_pkey" PRIMARY KEY ("name")
);

CREATE TABLE "servers" (
  "id" SERIAL NOT NULL,
  "account_id" UUID NOT NULL,
  "environment_id" INTEGER NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "network_id" UUID,
  "subnet_id" UUID,
  "address_id" INTEGER,
  "iam_role_id" UUID,
  "snapshot_id" INTEGER,
  "name" TEXT,
  "role" TEXT NOT NULL,
  "flavor" TEXT NOT NULL,
  "dedicated" BOOLEAN NOT NULL DEFAULT false,
  "cpu_credits" TEXT,
  "region" TEXT NOT NULL,
  "location" TEXT NOT NULL,
  "alternatives" JSONB NOT NULL DEFAULT '[]',
  "leaving_zone" TEXT,
  "state" TEXT NOT NULL DEFAULT 'pending',
  "enabled" BOOLEAN NOT NULL DEFAULT true,
  "no_deploy" BOOLEAN NOT NULL DEFAULT false,
  "provisioned_id" TEXT,
  "image_id" TEXT,
  "private_hostname" TEXT,
  "public_hostname" TEXT,
  "ssh_port" INTEGER NOT NULL DEFAULT 22,
  "devices" JSONB NOT NULL DEFAULT '[]',
  "chef_status" JSONB NOT NULL DEFAULT '[]',
  "authorized_keys" TEXT,
  "keys_current" BOOLEAN NOT NULL DEFAULT false,
  "keys_asked_at" TIMESTAMPTZ(3),
  "auto_scaling_group_id" UUID,
  "provisioned_at" TIMESTAMPTZ(3),
  "deprovisioned_at" TIMESTAMPTZ(3),
  "disappeared_at" TIMESTAMPTZ(3),
  "tags" JSONB NOT NULL DEFAULT '{}',
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "servers_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "servers_account_id_created_at_id_idx" ON "servers"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "servers_environment_id_created_at_id_idx" ON "servers"("environment_id", "created_at" DESC, "id" DESC);
CREATE INDEX "servers_living_of_account" ON "servers"("account_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "servers_living_by_provisioned_id" ON "servers"("account_id", "provisioned_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "servers_living_by_name" ON "servers"("account_id", "name", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "servers_living_by_private_hostname" ON "servers"("account_id", "private_hostname", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "servers_living_by_public_hostname" ON "servers"("account_id", "public_hostname", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "servers_living_by_environment_id" ON "servers"("account_id", "environment_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "servers_living_by_role" ON "servers"("account_id", "role", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "servers_living_by_state" ON "servers"("account_id", "state", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "servers_living_by_provider_id" ON "servers"("account_id", "provider_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "servers_living_per_region" ON "servers"("provider_id", "region") WHERE (deleted_at IS NULL);
CREATE INDEX "servers_network_id_idx" ON "servers"("network_id");
CREATE INDEX "servers_subnet_id_idx" ON "servers"("subnet_id");
CREATE UNIQUE INDEX "servers_account_id_id_key" ON "servers"("account_id", "id");
CREATE UNIQUE INDEX "servers_one_living_per_name" ON "servers"("environment_id", "name") WHERE (deleted_at IS NULL);

CREATE TABLE "snapshots" (
  "id" SERIAL NOT NULL,
  "account_id" UUID NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "environment_id" INTEGER NOT NULL,
  "server_id" INTEGER NOT NULL,
  "volume_id" INTEGER NOT NULL,
  "request_id" UUID NOT NULL,
  "region" TEXT NOT NULL,
  "state" TEXT NOT NULL DEFAULT 'starting',
  "progress" INTEGER NOT NULL DEFAULT 0,
  "size_gb" INTEGER NOT NULL,
  "provisioned_id" TEXT,
  "tags" JSONB NOT NULL DEFAULT '{}',
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "snapshots_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "snapshots_account_id_created_at_id_idx" ON "snapshots"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "snapshots_environment_id_idx" ON "snapshots"("environment_id");
CREATE INDEX "snapshots_server_id_idx" ON "snapshots"("server_id");
CREATE INDEX "snapshots_request_id_idx" ON "snapshots"("request_id");
CREATE INDEX "snapshots_living_of_account" ON "snapshots"("account_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "snapshots_living_by_server_id" ON "snapshots"("account_id", "server_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "snapshots_living_by_environment_id" ON "snapshots"("account_id", "environment_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "snapshots_living_by_state" ON "snapshots"("account_id", "state", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX "snapshots_account_id_id_key" ON "snapshots"("account_id", "id");

CREATE TABLE "subnets" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "network_id" UUID NOT NULL,
  "location" TEXT NOT NULL,
  "cidr" TEXT NOT NULL,
  "name" TEXT,
  "primary" BOOLEAN NOT NULL DEFAULT false,
  "private" BOOLEAN NOT NULL DEFAULT false,
  "nat_gateway_id" TEXT,
  "provisioned_id" TEXT,
  "tags" JSONB NOT NULL DEFAULT '{}',
  "removal_started_at" TIMESTAMPTZ(3),
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "subnets_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "subnets_account_id_created_at_id_idx" ON "subnets"("account_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "subnets_account_id_id_key" ON "subnets"("account_id", "id");
CREATE UNIQUE INDEX "subnets_one_living_per_cidr" ON "subnets"("network_id", "cidr") WHERE (deleted_at IS NULL);

CREATE TABLE "tokens" (
  "id" UUID NOT NULL,
  "user_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "digest" BYTEA NOT NULL,
  "scopes" "scope"[],
  "parent_id" UUID,
  "account_ids" UUID[] DEFAULT ARRAY[]::UUID[],
  "cidrs" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "expires_at" TIMESTAMPTZ(3),
  "last_used_at" TIMESTAMPTZ(3),
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "tokens_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "tokens_digest_key" ON "tokens"("digest");
CREATE INDEX "tokens_user_id_created_at_id_idx" ON "tokens"("user_id", "created_at" DESC, "id" DESC);
CREATE INDEX "tokens_parent_id_idx" ON "tokens"("parent_id");

CREATE TABLE "users" (
  "id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "email" TEXT NOT NULL,
  "password_hash" TEXT NOT NULL,
  "staff" BOOLEAN NOT NULL DEFAULT false,
  "service" BOOLEAN NOT NULL DEFAULT false,
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

CREATE TABLE "external_identities" (
  "issuer" TEXT NOT NULL,
  "subject" TEXT NOT NULL,
  "user_id" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "signed_in_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "external_identities_pkey" PRIMARY KEY ("issuer","subject")
);
CREATE INDEX "external_identities_user_id_idx" ON "external_identities"("user_id");

CREATE TABLE "volumes" (
  "id" SERIAL NOT NULL,
  "account_id" UUID NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "server_id" INTEGER,
  "region" TEXT NOT NULL,
  "location" TEXT NOT NULL,
  "name" TEXT,
  "mount" TEXT,
  "device" TEXT,
  "size_gb" INTEGER NOT NULL,
  "volume_type" TEXT NOT NULL DEFAULT 'gp3',
  "iops" INTEGER,
  "throughput" INTEGER,
  "encrypted" BOOLEAN NOT NULL DEFAULT false,
  "from_snapshot" TEXT,
  "provisioned_id" TEXT,
  "state" TEXT NOT NULL DEFAULT 'pending',
  "disappeared_at" TIMESTAMPTZ(3),
  "tags" JSONB NOT NULL DEFAULT '{}',
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "volumes_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "volumes_account_id_created_at_id_idx" ON "volumes"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "volumes_living_of_account" ON "volumes"("account_id", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "volumes_living_by_name" ON "volumes"("account_id", "name", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "volumes_living_by_mount" ON "volumes"("account_id", "mount", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "volumes_living_by_device" ON "volumes"("account_id", "device", "created_at" DESC, "id" DESC) WHERE (deleted_at IS NULL);
CREATE INDEX "volumes_server_id_idx" ON "volumes"("server_id");
CREATE UNIQUE INDEX "volumes_account_id_id_key" ON "volumes"("account_id", "id");
CREATE UNIQUE INDEX "volumes_one_per_device" ON "volumes"("server_id", "device") WHERE (deleted_at IS NULL);

CREATE TABLE "webhooks" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "url" TEXT NOT NULL,
  "events" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "description" TEXT NOT NULL DEFAULT '',
  "secret" BYTEA NOT NULL,
  "previous_secret" BYTEA,
  "previous_secret_until" TIMESTAMPTZ(3),
  "base_url" TEXT NOT NULL,
  "position" BIGINT NOT NULL,
  "seq" BIGINT NOT NULL DEFAULT 0,
  "failures" INTEGER NOT NULL DEFAULT 0,
  "resumes_at" TIMESTAMPTZ(3),
  "is_slow" BOOLEAN NOT NULL DEFAULT false,
  "lease_until" TIMESTAMPTZ(3),
  "disabled_at" TIMESTAMPTZ(3),
  "disabled_reason" TEXT,
  "deleted_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhooks_account_id_created_at_id_idx" ON "webhooks"("account_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "webhooks_account_id_id_key" ON "webhooks"("account_id", "id");

CREATE TABLE "webhook_deliveries" (
  "id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "webhook_id" UUID NOT NULL,
  "position" BIGINT,
  "seq" BIGINT,
  "type" TEXT NOT NULL,
  "state" "DeliveryState" NOT NULL DEFAULT 'pending',
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "next_attempt_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
  "asked_at" TIMESTAMPTZ(3),
  "attempted_at" TIMESTAMPTZ(3),
  "status" INTEGER,
  "answer" TEXT,
  "error" TEXT,
  "duration_ms" INTEGER,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_deliveries_webhook_id_created_at_id_idx" ON "webhook_deliveries"("webhook_id", "created_at" DESC, "id" DESC);
CREATE INDEX "webhook_deliveries_not_delivered" ON "webhook_deliveries"("webhook_id", "state", "created_at" DESC, "id" DESC) WHERE (state <> 'delivered'::"DeliveryState");
CREATE INDEX "webhook_deliveries_by_time" ON "webhook_deliveries"("created_at");
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries"("webhook_id", "next_attempt_at") WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX "webhook_deliveries_asked" ON "webhook_deliveries"("webhook_id") WHERE (next_attempt_at IS NOT NULL AND (position IS NULL OR asked_at IS NOT NULL));
CREATE UNIQUE INDEX "webhook_deliveries_webhook_id_position_seq_key" ON "webhook_deliveries"("webhook_id", "position", "seq");

ALTER TABLE "addresses"
  ADD CONSTRAINT "addresses_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "alerts"
  ADD CONSTRAINT "alerts_account_id_server_id_fkey" FOREIGN KEY ("account_id", "server_id") REFERENCES "servers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "alerts"
  ADD CONSTRAINT "alerts_account_id_database_server_id_fkey" FOREIGN KEY ("account_id", "database_server_id") REFERENCES "database_servers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "applications"
  ADD CONSTRAINT "applications_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "auto_scaling_groups"
  ADD CONSTRAINT "auto_scaling_groups_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "auto_scaling_groups"
  ADD CONSTRAINT "auto_scaling_groups_account_id_environment_id_fkey" FOREIGN KEY ("account_id", "environment_id") REFERENCES "environments"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "blueprints"
  ADD CONSTRAINT "blueprints_account_id_environment_id_fkey" FOREIGN KEY ("account_id", "environment_id") REFERENCES "environments"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "cloud_objects"
  ADD CONSTRAINT "cloud_objects_request_id_fkey" FOREIGN KEY ("request_id") REFERENCES "requests"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "database_server_snapshots"
  ADD CONSTRAINT "database_server_snapshots_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "database_server_snapshots"
  ADD CONSTRAINT "database_server_snapshots_account_id_database_server_id_fkey" FOREIGN KEY ("account_id", "database_server_id") REFERENCES "database_servers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "database_servers"
  ADD CONSTRAINT "database_servers_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "database_servers"
  ADD CONSTRAINT "database_servers_account_id_database_service_id_fkey" FOREIGN KEY ("account_id", "database_service_id") REFERENCES "database_services"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "database_services"
  ADD CONSTRAINT "database_services_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "database_services"
  ADD CONSTRAINT "database_services_account_id_network_id_fkey" FOREIGN KEY ("account_id", "network_id") REFERENCES "networks"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "database_services"
  ADD CONSTRAINT "database_services_account_id_environment_id_fkey" FOREIGN KEY ("account_id", "environment_id") REFERENCES "environments"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "drift_regions"
  ADD CONSTRAINT "drift_regions_id_fkey" FOREIGN KEY ("id") REFERENCES "provider_locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "drifts"
  ADD CONSTRAINT "drifts_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "environments"
  ADD CONSTRAINT "environments_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "environments"
  ADD CONSTRAINT "environments_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "environments"
  ADD CONSTRAINT "environments_account_id_network_id_fkey" FOREIGN KEY ("account_id", "network_id") REFERENCES "networks"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "environments"
  ADD CONSTRAINT "environments_account_id_application_id_fkey" FOREIGN KEY ("account_id", "application_id") REFERENCES "applications"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "firewall_rules"
  ADD CONSTRAINT "firewall_rules_account_id_firewall_id_fkey" FOREIGN KEY ("account_id", "firewall_id") REFERENCES "firewalls"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "firewall_rules"
  ADD CONSTRAINT "firewall_rules_account_id_source_firewall_id_fkey" FOREIGN KEY ("account_id", "source_firewall_id") REFERENCES "firewalls"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "firewalls"
  ADD CONSTRAINT "firewalls_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "firewalls"
  ADD CONSTRAINT "firewalls_account_id_environment_id_fkey" FOREIGN KEY ("account_id", "environment_id") REFERENCES "environments"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "firewalls"
  ADD CONSTRAINT "firewalls_account_id_database_service_id_fkey" FOREIGN KEY ("account_id", "database_service_id") REFERENCES "database_services"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "iam_roles"
  ADD CONSTRAINT "iam_roles_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "invitations"
  ADD CONSTRAINT "invitations_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "invitations"
  ADD CONSTRAINT "invitations_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "keypairs"
  ADD CONSTRAINT "keypairs_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "keypairs"
  ADD CONSTRAINT "keypairs_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "memberships"
  ADD CONSTRAINT "memberships_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "memberships"
  ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "networks"
  ADD CONSTRAINT "networks_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "offer_lists"
  ADD CONSTRAINT "offer_lists_id_fkey" FOREIGN KEY ("id") REFERENCES "provider_locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "provider_locations"
  ADD CONSTRAINT "provider_locations_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "provider_locations"
  ADD CONSTRAINT "provider_locations_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "provider_locations"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "providers"
  ADD CONSTRAINT "providers_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "requests"
  ADD CONSTRAINT "requests_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "requests"
  ADD CONSTRAINT "requests_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "requests"
  ADD CONSTRAINT "requests_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "requests"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "request_stages"
  ADD CONSTRAINT "request_stages_request_id_fkey" FOREIGN KEY ("request_id") REFERENCES "requests"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "request_messages"
  ADD CONSTRAINT "request_messages_request_id_fkey" FOREIGN KEY ("request_id") REFERENCES "requests"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "servers"
  ADD CONSTRAINT "servers_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "servers"
  ADD CONSTRAINT "servers_account_id_environment_id_fkey" FOREIGN KEY ("account_id", "environment_id") REFERENCES "environments"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "servers"
  ADD CONSTRAINT "servers_account_id_network_id_fkey" FOREIGN KEY ("account_id", "network_id") REFERENCES "networks"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "servers"
  ADD CONSTRAINT "servers_account_id_subnet_id_fkey" FOREIGN KEY ("account_id", "subnet_id") REFERENCES "subnets"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "servers"
  ADD CONSTRAINT "servers_account_id_iam_role_id_fkey" FOREIGN KEY ("account_id", "iam_role_id") REFERENCES "iam_roles"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "servers"
  ADD CONSTRAINT "servers_account_id_snapshot_id_fkey" FOREIGN KEY ("account_id", "snapshot_id") REFERENCES "snapshots"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "snapshots"
  ADD CONSTRAINT "snapshots_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "snapshots"
  ADD CONSTRAINT "snapshots_account_id_server_id_fkey" FOREIGN KEY ("account_id", "server_id") REFERENCES "servers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "snapshots"
  ADD CONSTRAINT "snapshots_account_id_volume_id_fkey" FOREIGN KEY ("account_id", "volume_id") REFERENCES "volumes"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "subnets"
  ADD CONSTRAINT "subnets_account_id_network_id_fkey" FOREIGN KEY ("account_id", "network_id") REFERENCES "networks"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "tokens"
  ADD CONSTRAINT "tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "external_identities"
  ADD CONSTRAINT "external_identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "volumes"
  ADD CONSTRAINT "volumes_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "volumes"
  ADD CONSTRAINT "volumes_account_id_server_id_fkey" FOREIGN KEY ("account_id", "server_id") REFERENCES "servers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "webhooks"
  ADD CONSTRAINT "webhooks_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "webhook_deliveries"
  ADD CONSTRAINT "webhook_deliveries_account_id_webhook_id_fkey" FOREIGN KEY ("account_id", "webhook_id") REFERENCES "webhooks"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The only rows that exist from the first start on.
INSERT INTO "event_clocks" ("server_started_at") VALUES (pg_postmaster_start_time());
INSERT INTO "retention_passes" ("name", "started_at") VALUES ('requests', now());
