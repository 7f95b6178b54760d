-- A record that was deleted and is restored, by the retry of its Request, appears again: readers that keep a set of what
-- exists would miss it otherwise. CREATE OR REPLACE changes the function alone; its triggers stay.
CREATE OR REPLACE FUNCTION tell_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  subject constant text := TG_ARGV[0];
  hidden constant text[] := TG_ARGV[1];
  silent constant text[] := TG_ARGV[2];
  was jsonb := to_jsonb(OLD) - hidden;
  record jsonb := to_jsonb(NEW) - hidden;
  told text;
BEGIN
  IF record - silent = was - silent THEN RETURN NULL; END IF;
  told := CASE WHEN was ->> 'deleted_at' IS NULL AND record ->> 'deleted_at' IS NOT NULL THEN 'deleted'
    WHEN was ->> 'deleted_at' IS NOT NULL AND record ->> 'deleted_at' IS NULL THEN 'created'
    WHEN was ->> 'disappeared_at' IS NULL AND record ->> 'disappeared_at' IS NOT NULL THEN 'disappeared'
    ELSE 'changed' END;
  INSERT INTO events (account_id, position, type, subject_type, subject_id, record)
  SELECT NEW.account_id, added + pg_current_xact_id()::text::bigint, 'resource.' || told, subject, NEW.id, record
  FROM event_clocks;
  RETURN NULL;
END $$;
