-- AlterTable
ALTER TABLE "requests" ADD COLUMN     "report" JSONB;

-- CreateTable
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
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "database_services_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "database_servers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "database_server_snapshots_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "environments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

-- CreateTable
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

-- CreateTable
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

-- CreateTable
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
    "region" TEXT NOT NULL,
    "location" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "no_deploy" BOOLEAN NOT NULL DEFAULT false,
    "provisioned_id" TEXT,
    "private_hostname" TEXT,
    "public_hostname" TEXT,
    "ssh_port" INTEGER NOT NULL DEFAULT 22,
    "devices" JSONB NOT NULL DEFAULT '[]',
    "chef_status" JSONB NOT NULL DEFAULT '[]',
    "auto_scaling_group_id" UUID,
    "provisioned_at" TIMESTAMPTZ(3),
    "deprovisioned_at" TIMESTAMPTZ(3),
    "disappeared_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "servers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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
    "volume_type" TEXT NOT NULL DEFAULT 'gp2',
    "iops" INTEGER,
    "encrypted" BOOLEAN NOT NULL DEFAULT false,
    "from_snapshot" TEXT,
    "provisioned_id" TEXT,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "volumes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "addresses" (
    "id" SERIAL NOT NULL,
    "account_id" UUID NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "location" TEXT NOT NULL,
    "server_id" INTEGER,
    "ip_address" TEXT,
    "provisioned_id" TEXT,
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "addresses_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "snapshots_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "firewalls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "firewall_rules" (
    "id" SERIAL NOT NULL,
    "account_id" UUID NOT NULL,
    "firewall_id" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "source_firewall_id" INTEGER,
    "port_range" TEXT NOT NULL,
    "protocol" TEXT NOT NULL,
    "provisioned_id" TEXT,
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "firewall_rules_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alerts" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "environment_id" INTEGER,
    "server_id" INTEGER,
    "database_server_id" UUID,
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

-- CreateTable
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
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auto_scaling_groups_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "database_services_account_id_created_at_id_idx" ON "database_services"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "database_services_network_id_idx" ON "database_services"("network_id");

-- CreateIndex
CREATE UNIQUE INDEX "database_services_account_id_id_key" ON "database_services"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "database_services_one_living_per_name" ON "database_services"("account_id", "name") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "database_servers_account_id_created_at_id_idx" ON "database_servers"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "database_servers_database_service_id_created_at_id_idx" ON "database_servers"("database_service_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "database_servers_replication_source_id_idx" ON "database_servers"("replication_source_id");

-- CreateIndex
CREATE UNIQUE INDEX "database_servers_account_id_id_key" ON "database_servers"("account_id", "id");

-- CreateIndex
CREATE INDEX "database_server_snapshots_account_id_created_at_id_idx" ON "database_server_snapshots"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "database_server_snapshots_database_server_id_idx" ON "database_server_snapshots"("database_server_id");

-- CreateIndex
CREATE UNIQUE INDEX "database_server_snapshots_account_id_id_key" ON "database_server_snapshots"("account_id", "id");

-- CreateIndex
CREATE INDEX "environments_account_id_created_at_id_idx" ON "environments"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "environments_network_id_idx" ON "environments"("network_id");

-- CreateIndex
CREATE UNIQUE INDEX "environments_account_id_id_key" ON "environments"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "environments_one_living_per_name" ON "environments"("account_id", "name") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "applications_account_id_created_at_id_idx" ON "applications"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "applications_account_id_id_key" ON "applications"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "applications_one_living_per_name" ON "applications"("account_id", "name") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "keypairs_user_id_created_at_id_idx" ON "keypairs"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "keypairs_application_id_created_at_id_idx" ON "keypairs"("application_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "blueprints_account_id_created_at_id_idx" ON "blueprints"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "blueprints_account_id_id_key" ON "blueprints"("account_id", "id");

-- CreateIndex
CREATE INDEX "servers_account_id_created_at_id_idx" ON "servers"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "servers_environment_id_created_at_id_idx" ON "servers"("environment_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "servers_living_per_region" ON "servers"("provider_id", "region") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "servers_network_id_idx" ON "servers"("network_id");

-- CreateIndex
CREATE INDEX "servers_subnet_id_idx" ON "servers"("subnet_id");

-- CreateIndex
CREATE UNIQUE INDEX "servers_account_id_id_key" ON "servers"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "servers_one_living_per_name" ON "servers"("environment_id", "name") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "volumes_account_id_created_at_id_idx" ON "volumes"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "volumes_account_id_id_key" ON "volumes"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "volumes_one_per_device" ON "volumes"("server_id", "device") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "addresses_account_id_created_at_id_idx" ON "addresses"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "addresses_living_per_region" ON "addresses"("provider_id", "location") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "addresses_server_id_idx" ON "addresses"("server_id");

-- CreateIndex
CREATE UNIQUE INDEX "addresses_account_id_id_key" ON "addresses"("account_id", "id");

-- CreateIndex
CREATE INDEX "snapshots_account_id_created_at_id_idx" ON "snapshots"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "snapshots_environment_id_idx" ON "snapshots"("environment_id");

-- CreateIndex
CREATE INDEX "snapshots_server_id_idx" ON "snapshots"("server_id");

-- CreateIndex
CREATE INDEX "snapshots_request_id_idx" ON "snapshots"("request_id");

-- CreateIndex
CREATE UNIQUE INDEX "snapshots_account_id_id_key" ON "snapshots"("account_id", "id");

-- CreateIndex
CREATE INDEX "firewalls_account_id_created_at_id_idx" ON "firewalls"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "firewalls_account_id_id_key" ON "firewalls"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "firewalls_one_living_per_environment" ON "firewalls"("environment_id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "firewalls_one_living_per_database_service" ON "firewalls"("database_service_id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "firewall_rules_account_id_created_at_id_idx" ON "firewall_rules"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "firewall_rules_account_id_id_key" ON "firewall_rules"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "firewall_rules_one_living_of_a_kind" ON "firewall_rules"("firewall_id", "source", "port_range", "protocol") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "alerts_account_id_created_at_id_idx" ON "alerts"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "alerts_server_id_idx" ON "alerts"("server_id");

-- CreateIndex
CREATE INDEX "alerts_database_server_id_idx" ON "alerts"("database_server_id");

-- CreateIndex
CREATE INDEX "alerts_environment_id_idx" ON "alerts"("environment_id");

-- CreateIndex
CREATE INDEX "auto_scaling_groups_account_id_created_at_id_idx" ON "auto_scaling_groups"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "auto_scaling_groups_account_id_id_key" ON "auto_scaling_groups"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "auto_scaling_groups_one_living_per_environment" ON "auto_scaling_groups"("environment_id") WHERE (deleted_at IS NULL);

-- AddForeignKey
ALTER TABLE "database_services" ADD CONSTRAINT "database_services_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_services" ADD CONSTRAINT "database_services_account_id_network_id_fkey" FOREIGN KEY ("account_id", "network_id") REFERENCES "networks"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_services" ADD CONSTRAINT "database_services_account_id_environment_id_fkey" FOREIGN KEY ("account_id", "environment_id") REFERENCES "environments"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_servers" ADD CONSTRAINT "database_servers_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_servers" ADD CONSTRAINT "database_servers_account_id_database_service_id_fkey" FOREIGN KEY ("account_id", "database_service_id") REFERENCES "database_services"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_server_snapshots" ADD CONSTRAINT "database_server_snapshots_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_server_snapshots" ADD CONSTRAINT "database_server_snapshots_account_id_database_server_id_fkey" FOREIGN KEY ("account_id", "database_server_id") REFERENCES "database_servers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "environments" ADD CONSTRAINT "environments_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "environments" ADD CONSTRAINT "environments_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "environments" ADD CONSTRAINT "environments_account_id_network_id_fkey" FOREIGN KEY ("account_id", "network_id") REFERENCES "networks"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "environments" ADD CONSTRAINT "environments_account_id_application_id_fkey" FOREIGN KEY ("account_id", "application_id") REFERENCES "applications"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "applications" ADD CONSTRAINT "applications_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "keypairs" ADD CONSTRAINT "keypairs_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "keypairs" ADD CONSTRAINT "keypairs_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "blueprints" ADD CONSTRAINT "blueprints_account_id_environment_id_fkey" FOREIGN KEY ("account_id", "environment_id") REFERENCES "environments"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "servers" ADD CONSTRAINT "servers_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "servers" ADD CONSTRAINT "servers_account_id_environment_id_fkey" FOREIGN KEY ("account_id", "environment_id") REFERENCES "environments"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "servers" ADD CONSTRAINT "servers_account_id_network_id_fkey" FOREIGN KEY ("account_id", "network_id") REFERENCES "networks"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "servers" ADD CONSTRAINT "servers_account_id_subnet_id_fkey" FOREIGN KEY ("account_id", "subnet_id") REFERENCES "subnets"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "servers" ADD CONSTRAINT "servers_account_id_iam_role_id_fkey" FOREIGN KEY ("account_id", "iam_role_id") REFERENCES "iam_roles"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "servers" ADD CONSTRAINT "servers_account_id_snapshot_id_fkey" FOREIGN KEY ("account_id", "snapshot_id") REFERENCES "snapshots"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "volumes" ADD CONSTRAINT "volumes_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "volumes" ADD CONSTRAINT "volumes_account_id_server_id_fkey" FOREIGN KEY ("account_id", "server_id") REFERENCES "servers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "addresses" ADD CONSTRAINT "addresses_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_account_id_server_id_fkey" FOREIGN KEY ("account_id", "server_id") REFERENCES "servers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_account_id_volume_id_fkey" FOREIGN KEY ("account_id", "volume_id") REFERENCES "volumes"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "firewalls" ADD CONSTRAINT "firewalls_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "firewalls" ADD CONSTRAINT "firewalls_account_id_environment_id_fkey" FOREIGN KEY ("account_id", "environment_id") REFERENCES "environments"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "firewalls" ADD CONSTRAINT "firewalls_account_id_database_service_id_fkey" FOREIGN KEY ("account_id", "database_service_id") REFERENCES "database_services"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "firewall_rules" ADD CONSTRAINT "firewall_rules_account_id_firewall_id_fkey" FOREIGN KEY ("account_id", "firewall_id") REFERENCES "firewalls"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "firewall_rules" ADD CONSTRAINT "firewall_rules_account_id_source_firewall_id_fkey" FOREIGN KEY ("account_id", "source_firewall_id") REFERENCES "firewalls"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_account_id_server_id_fkey" FOREIGN KEY ("account_id", "server_id") REFERENCES "servers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_account_id_database_server_id_fkey" FOREIGN KEY ("account_id", "database_server_id") REFERENCES "database_servers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "auto_scaling_groups" ADD CONSTRAINT "auto_scaling_groups_account_id_provider_id_fkey" FOREIGN KEY ("account_id", "provider_id") REFERENCES "providers"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "auto_scaling_groups" ADD CONSTRAINT "auto_scaling_groups_account_id_environment_id_fkey" FOREIGN KEY ("account_id", "environment_id") REFERENCES "environments"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

