-- Those that the version before writes meanwhile follow with the trigger, in prisma/functions/messages.sql.
UPDATE "request_messages" SET account_id = requests.account_id, resource_type = requests.resource_type
FROM "requests" WHERE requests.id = request_messages.request_id;
