-- The columns by which lists of an account's messages select are in the Request, which never changes them.
CREATE OR REPLACE FUNCTION copy_account_of_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT account_id, resource_type INTO NEW.account_id, NEW.resource_type FROM requests WHERE id = NEW.request_id;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER copy_account BEFORE INSERT ON "request_messages" FOR EACH ROW EXECUTE FUNCTION copy_account_of_message();

-- Written by the version before, after the migration that filled the columns and before this trigger.
UPDATE "request_messages" SET account_id = requests.account_id, resource_type = requests.resource_type
FROM "requests" WHERE request_messages.account_id IS NULL AND requests.id = request_messages.request_id;
