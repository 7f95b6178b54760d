-- AlterTable
ALTER TABLE "firewall_rules" ADD COLUMN     "application_only" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "firewalls" ADD COLUMN     "web_group_id" TEXT;

-- AlterTable
ALTER TABLE "networks" ADD COLUMN     "private_route_table_id" TEXT,
ADD COLUMN     "private_subnets" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "servers" ADD COLUMN     "cpu_credits" TEXT;

-- AlterTable
ALTER TABLE "subnets" ADD COLUMN     "nat_gateway_id" TEXT,
ADD COLUMN     "private" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "volumes" ADD COLUMN     "throughput" INTEGER,
ALTER COLUMN "volume_type" SET DEFAULT 'gp3';
