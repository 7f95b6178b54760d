-- Records, independently of the engine, which worker holds each Request, and the holder at every write of a worker. The
-- application_name of a connection names its worker.
CREATE SCHEMA audit;

CREATE TABLE audit.claims (
  seq bigserial PRIMARY KEY,
  request_id uuid NOT NULL,
  holder text NOT NULL,
  -- The earlier holder had not released the lease.
  taken_over boolean NOT NULL,
  -- The end of the earlier holder's lease.
  lease_until timestamptz,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON audit.claims (request_id, seq DESC);

CREATE TABLE audit.writes (
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  request_id uuid,
  writer text NOT NULL,
  table_name text NOT NULL,
  holder text
);

CREATE FUNCTION audit.record_write(request uuid, table_name text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO audit.writes (request_id, writer, table_name, holder)
  VALUES (request, current_setting('application_name'), table_name,
    (SELECT holder FROM audit.claims c WHERE c.request_id = request ORDER BY seq DESC LIMIT 1))
$$;

-- Only a claim increases the wake and sets a new lease in one update. Updates by the API, a parent or a child change none
-- of the columns that are reserved for the holder.
CREATE FUNCTION audit.on_request_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('application_name') NOT LIKE 'worker%' THEN RETURN NULL; END IF;
  IF NEW.wake > OLD.wake AND NEW.lease_until IS NOT NULL AND NEW.lease_until IS DISTINCT FROM OLD.lease_until THEN
    INSERT INTO audit.claims (request_id, holder, taken_over, lease_until)
    VALUES (NEW.id, current_setting('application_name'), OLD.lease_until IS NOT NULL, OLD.lease_until);
  ELSIF (NEW.stage, NEW.stage_attempts, NEW.successful, NEW.message, NEW.lease_until, NEW.finished_at, NEW.rolling_back_since)
    IS DISTINCT FROM
    (OLD.stage, OLD.stage_attempts, OLD.successful, OLD.message, OLD.lease_until, OLD.finished_at, OLD.rolling_back_since)
  THEN
    PERFORM audit.record_write(NEW.id, 'requests');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER audit AFTER UPDATE ON requests FOR EACH ROW EXECUTE FUNCTION audit.on_request_update();

-- A fenced write calls hold_request in its transaction: the wrapper remembers the Request for the triggers of that transaction.
ALTER FUNCTION hold_request(uuid, integer) RENAME TO hold_request_unaudited;
CREATE FUNCTION hold_request(request uuid, held integer) RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('audit.request', request::text, true);
  RETURN hold_request_unaudited(request, held);
END $$;

CREATE FUNCTION audit.on_write() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE request uuid := nullif(current_setting('audit.request', true), '')::uuid;
BEGIN
  IF current_setting('application_name') NOT LIKE 'worker%' THEN RETURN NULL; END IF;
  IF TG_TABLE_NAME IN ('request_stages', 'request_messages') THEN request := NEW.request_id; END IF;
  PERFORM audit.record_write(request, TG_TABLE_NAME);
  RETURN NULL;
END $$;

-- Deferred to the end of the transaction, when the fence has been checked. Triggers write events in the statements of their
-- facts. Deliveries and passes of the retention belong to no Request.
DO $$
DECLARE audited text;
BEGIN
  FOR audited IN SELECT tablename FROM pg_tables WHERE schemaname = 'public'
    AND tablename NOT IN ('requests', 'idempotency_keys', 'tokens', 'users', 'events', 'event_clocks', 'webhooks',
      'webhook_deliveries', 'retention_passes', 'unreported_audit_heads', '_prisma_migrations')
    AND tablename NOT LIKE '%audit_records'
  LOOP
    EXECUTE format('CREATE CONSTRAINT TRIGGER audit AFTER INSERT OR UPDATE ON %I DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION audit.on_write()', audited);
  END LOOP;
END $$;

-- The apps' user is not the owner of the tables.
GRANT USAGE ON SCHEMA audit TO PUBLIC;
GRANT ALL ON ALL TABLES IN SCHEMA audit TO PUBLIC;
GRANT ALL ON ALL SEQUENCES IN SCHEMA audit TO PUBLIC;
