-- Only ended Requests: workers hold locks on the others.
UPDATE "requests" SET "user_is_service" = true
FROM "users" WHERE "users"."service" AND "requests"."user_id" = "users"."id" AND "requests"."finished_at" IS NOT NULL;
