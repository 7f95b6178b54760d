-- Writes down, independently of the engine, who holds each Request and whether each write of a worker was made by the
-- holder. A worker is known by its connection's application_name.
CREATE SCHEMA witness;

CREATE TABLE witness.holds (
  seq bigserial PRIMARY KEY,
  request_id uuid NOT NULL,
  holder text NOT NULL,
  -- The one before had not given it back.
  taken_over boolean NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON witness.holds (request_id, seq DESC);

CREATE TABLE witness.writes (
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  request_id uuid,
  writer text NOT NULL,
  place text NOT NULL,
  holder text
);

CREATE FUNCTION witness.note(request uuid, place text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO witness.writes (request_id, writer, place, holder)
  VALUES (request, current_setting('application_name'), place,
    (SELECT holder FROM witness.holds h WHERE h.request_id = request ORDER BY seq DESC LIMIT 1))
$$;

-- A claim renews the wake together with a lease; whoever else touches a Request (its owner, its parent, its children)
-- leaves what only the holder may write.
CREATE FUNCTION witness.see_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('application_name') NOT LIKE 'worker%' THEN RETURN NULL; END IF;
  IF NEW.wake > OLD.wake AND NEW.lease_until IS NOT NULL AND NEW.lease_until IS DISTINCT FROM OLD.lease_until THEN
    INSERT INTO witness.holds (request_id, holder, taken_over)
    VALUES (NEW.id, current_setting('application_name'), OLD.lease_until IS NOT NULL);
  ELSIF (NEW.stage, NEW.stage_attempts, NEW.successful, NEW.message, NEW.lease_until, NEW.finished_at, NEW.rolling_back_since)
    IS DISTINCT FROM
    (OLD.stage, OLD.stage_attempts, OLD.successful, OLD.message, OLD.lease_until, OLD.finished_at, OLD.rolling_back_since)
  THEN
    PERFORM witness.note(NEW.id, 'requests');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER witness AFTER UPDATE ON requests FOR EACH ROW EXECUTE FUNCTION witness.see_request();

-- The fence travels with a write in the same transaction: its function tells for which Request.
ALTER FUNCTION hold_request(uuid, integer) RENAME TO hold_request_unseen;
CREATE FUNCTION hold_request(request uuid, held integer) RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('witness.request', request::text, true);
  RETURN hold_request_unseen(request, held);
END $$;

CREATE FUNCTION witness.see_write() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE request uuid := nullif(current_setting('witness.request', true), '')::uuid;
BEGIN
  IF current_setting('application_name') NOT LIKE 'worker%' THEN RETURN NULL; END IF;
  IF TG_TABLE_NAME IN ('request_stages', 'request_messages') THEN request := NEW.request_id; END IF;
  PERFORM witness.note(request, TG_TABLE_NAME);
  RETURN NULL;
END $$;

-- At the end of the transaction, when whatever held the fence in it has done so.
DO $$
DECLARE seen text;
BEGIN
  FOR seen IN SELECT tablename FROM pg_tables WHERE schemaname = 'public'
    AND tablename NOT IN ('requests', 'idempotency_keys', 'tokens', 'users', '_prisma_migrations')
  LOOP
    EXECUTE format('CREATE CONSTRAINT TRIGGER witness AFTER INSERT OR UPDATE ON %I DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION witness.see_write()', seen);
  END LOOP;
END $$;
