-- AlterTable
ALTER TABLE "addresses" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "auto_scaling_groups" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "cloud_objects" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "database_server_snapshots" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "database_servers" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "database_services" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "environments" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "firewalls" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "iam_roles" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "networks" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "servers" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "snapshots" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "subnets" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "volumes" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';
