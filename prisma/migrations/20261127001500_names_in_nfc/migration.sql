-- Texts that look alike are alike from now on (NFC). A name stays as it is if another living record would then have the same.
UPDATE "applications" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED AND NOT EXISTS (
  SELECT 1 FROM "applications" AS other WHERE other."account_id" = "applications"."account_id" AND other."id" <> "applications"."id"
    AND other."deleted_at" IS NULL AND normalize(other."name") = normalize("applications"."name"));
UPDATE "database_services" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED AND NOT EXISTS (
  SELECT 1 FROM "database_services" AS other WHERE other."account_id" = "database_services"."account_id" AND other."id" <> "database_services"."id"
    AND other."deleted_at" IS NULL AND normalize(other."name") = normalize("database_services"."name"));
UPDATE "environments" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED AND NOT EXISTS (
  SELECT 1 FROM "environments" AS other WHERE other."account_id" = "environments"."account_id" AND other."id" <> "environments"."id"
    AND other."deleted_at" IS NULL AND normalize(other."name") = normalize("environments"."name"));
UPDATE "accounts" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;
UPDATE "alerts" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;
UPDATE "blueprints" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;
UPDATE "keypairs" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;
UPDATE "providers" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;
UPDATE "tokens" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;
UPDATE "users" SET "name" = normalize("name") WHERE "name" IS NOT NORMALIZED;
