-- AlterTable
ALTER TABLE "auto_scaling_groups" ADD COLUMN     "blueprint_id" UUID;

-- AddForeignKey
ALTER TABLE "auto_scaling_groups" ADD CONSTRAINT "auto_scaling_groups_account_id_blueprint_id_fkey" FOREIGN KEY ("account_id", "blueprint_id") REFERENCES "blueprints"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;
