-- Transaction ids may repeat when PostgreSQL starts again: after a failover or a restore, and even after a crash. The
-- events after a start therefore have positions far above all earlier ones. Each start adds another number, so that two
-- servers that began as copies of one share no positions.
CREATE OR REPLACE VIEW current_event_clock AS
SELECT server.started_at AS server_started_at, clock.kept_from,
  CASE WHEN is_same THEN clock.added ELSE raised END AS added,
  CASE WHEN is_same THEN clock.unused ELSE clock.unused
    + int8multirange(int8range(clock.added + pg_snapshot_xmax(pg_current_snapshot())::text::bigint, raised)) END AS unused
FROM event_clocks clock
CROSS JOIN LATERAL (SELECT pg_postmaster_start_time() AS started_at) server
CROSS JOIN LATERAL (SELECT
  clock.server_started_at IS NOT DISTINCT FROM server.started_at AS is_same,
  -- More than transactions that a backup or a standby may lack.
  clock.added + 1000000000000 + (extract(epoch FROM server.started_at) * 1000000)::bigint % 1000000000000 AS raised
) start;

-- The position of the events of this transaction. A transaction that finds the clock of an earlier start corrects it, unless
-- another one is doing so. None waits, because all add the same number.
CREATE OR REPLACE FUNCTION event_position() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  clock record;
BEGIN
  SELECT added, server_started_at INTO clock FROM event_clocks;
  IF clock.server_started_at IS DISTINCT FROM pg_postmaster_start_time() THEN
    SELECT added INTO clock FROM current_event_clock;
    UPDATE event_clocks SET (server_started_at, added, unused) =
      (SELECT server_started_at, added, unused FROM current_event_clock)
    WHERE "only" IN (SELECT "only" FROM event_clocks WHERE server_started_at IS DISTINCT FROM pg_postmaster_start_time()
      FOR NO KEY UPDATE SKIP LOCKED);
  END IF;
  RETURN clock.added + pg_current_xact_id()::text::bigint;
END $$;

-- The position below which no transaction of this database can add an event. Transactions of other databases of the
-- cluster are left out if their session shows them; whatever is not known to be of another database counts.
CREATE OR REPLACE FUNCTION event_horizon() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT added + least(
    -- The caller's own transaction is not in its snapshot's list.
    pg_current_xact_id_if_assigned()::text::bigint,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
    (SELECT min(xid::text::bigint) FROM pg_snapshot_xip(pg_current_snapshot()) xid
      WHERE xid::xid NOT IN (
        SELECT backend_xid FROM pg_stat_get_activity(NULL)
        WHERE backend_xid IS NOT NULL
          AND datid <> (SELECT oid FROM pg_database WHERE datname = current_database()))))
  FROM current_event_clock
$$;

-- The columns of a Request that its record shows: of its input only the action.
CREATE OR REPLACE FUNCTION event_record(r requests) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('id', r.id, 'account_id', r.account_id, 'type', r.type, 'user_id', r.user_id,
    'user_is_service', r.user_is_service,
    'parent_id', r.parent_id, 'resource_type', r.resource_type, 'resource_id', r.resource_id,
    'input', json_build_object('action', r.input -> 'action'), 'trace_id', r.trace_id,
    'stage', r.stage, 'message', r.message, 'successful', r.successful, 'waiting_for', r.waiting_for,
    'awaited_children', r.awaited_children, 'rolling_back_since', r.rolling_back_since,
    'cancel_requested_at', r.cancel_requested_at, 'started_at', r.started_at, 'finished_at', r.finished_at,
    'created_at', r.created_at, 'updated_at', r.updated_at)
$$;

-- The triggers run in every statement that causes an event, which pays for them: each makes its record before it inserts its
-- event itself. NEW inside the INSERT would be copied for each of its columns, and a function that inserts costs a call.
--
-- A transaction may have its id before another one that changes the same record first. The later change then takes the
-- position of the subject's last event, and a higher seq. No reader is there yet: while the transaction runs, the horizon
-- is at most its id.

CREATE OR REPLACE FUNCTION record_event_of_acceptance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  record json := event_record(NEW);
BEGIN
  INSERT INTO events (account_id, position, type, subject_type, subject_id, request_id, record)
  VALUES (NEW.account_id, event_position(), 'request.accepted', 'request', NEW.id, NEW.id, record);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION record_event_of_progress() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  record json := event_record(NEW);
  facts text[] := '{}';
  last events;
  leaks text;
BEGIN
  IF OLD.started_at IS NULL AND NEW.started_at IS NOT NULL THEN facts := facts || 'started'::text; END IF;
  IF NEW.stage IS DISTINCT FROM OLD.stage THEN facts := facts || 'stage'::text; END IF;
  IF OLD.rolling_back_since IS NULL AND NEW.rolling_back_since IS NOT NULL THEN
    facts := facts || 'rolling_back'::text;
  END IF;
  IF NEW.finished_at IS NULL AND OLD.cancel_requested_at IS NULL AND NEW.cancel_requested_at IS NOT NULL THEN
    facts := facts || 'cancelling'::text;
  END IF;
  IF NEW.finished_at IS NULL AND (NEW.waiting_for IS DISTINCT FROM OLD.waiting_for AND NEW.waiting_for IS NOT NULL
      OR NEW.awaited_children > 0 AND OLD.awaited_children = 0) THEN
    -- A wait that polls ends and begins again with the same reason: that is one event.
    SELECT * INTO last FROM events WHERE request_id = NEW.id ORDER BY position DESC, seq DESC LIMIT 1;
    IF last.type IS DISTINCT FROM 'request.waiting'
        OR last.record ->> 'waiting_for' IS DISTINCT FROM NEW.waiting_for THEN
      facts := facts || 'waiting'::text;
    END IF;
  END IF;
  IF NEW.leaked_resources <> OLD.leaked_resources THEN
    facts := facts || 'leaked'::text;
    SELECT coalesce(string_agg(concat_ws(' ', leak ->> 'kind', leak ->> 'id', 'in', leak ->> 'region'), ', '), 'nothing')
      INTO leaks FROM jsonb_array_elements(NEW.leaked_resources) leak;
  END IF;
  IF OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL THEN
    facts := facts || CASE WHEN NEW.successful THEN 'finished' WHEN NEW.cancel_requested_at IS NOT NULL THEN 'cancelled'
      ELSE 'failed' END;
  END IF;
  INSERT INTO events (account_id, position, type, subject_type, subject_id, request_id, record, message)
  SELECT NEW.account_id, greatest(event_position(),
      (SELECT position FROM events WHERE request_id = NEW.id ORDER BY position DESC LIMIT 1)),
    'request.' || each, 'request', NEW.id, NEW.id, record, CASE WHEN each = 'leaked' THEN leaks END
  FROM unnest(facts) each;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION record_event_of_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (account_id, position, type, subject_type, subject_id, request_id, record, message)
  SELECT account_id, greatest(event_position(),
      (SELECT position FROM events WHERE request_id = NEW.request_id ORDER BY position DESC LIMIT 1)),
    'request.message', 'request', id, id, event_record(requests), NEW.message
  FROM requests WHERE id = NEW.request_id;
  RETURN NULL;
END $$;

-- resource-events.sql has the triggers that run this and the next function.
-- Arguments: the type of the record; if there are any, the columns that no event holds.
CREATE OR REPLACE FUNCTION record_event_of_creation() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  subject constant text := TG_ARGV[0];
  record json;
BEGIN
  IF TG_NARGS = 1 THEN record := to_json(NEW); ELSE record := to_jsonb(NEW) - TG_ARGV[1]::text[]; END IF;
  INSERT INTO events (account_id, position, type, subject_type, subject_id, record)
  VALUES (NEW.account_id, event_position(), 'resource.created', subject, NEW.id, record);
  RETURN NULL;
END $$;

-- Arguments: the type of the record; the columns that no event holds; those whose change by itself causes no event.
CREATE OR REPLACE FUNCTION record_event_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  subject constant text := TG_ARGV[0];
  hidden constant text[] := TG_ARGV[1];
  silent constant text[] := TG_ARGV[2];
  was jsonb := to_jsonb(OLD) - hidden;
  record jsonb := to_jsonb(NEW) - hidden;
  facts text;
BEGIN
  IF record - silent = was - silent THEN RETURN NULL; END IF;
  facts := CASE WHEN was ->> 'deleted_at' IS NULL AND record ->> 'deleted_at' IS NOT NULL THEN 'deleted'
    WHEN was ->> 'deleted_at' IS NOT NULL AND record ->> 'deleted_at' IS NULL THEN 'restored'
    WHEN was ->> 'disappeared_at' IS NULL AND record ->> 'disappeared_at' IS NOT NULL THEN 'disappeared'
    ELSE 'changed' END;
  INSERT INTO events (account_id, position, type, subject_type, subject_id, record)
  SELECT NEW.account_id, greatest(event_position(),
      (SELECT position FROM events WHERE account_id = NEW.account_id AND subject_type = subject AND subject_id = NEW.id::text
        AND request_id IS NULL ORDER BY position DESC LIMIT 1)),
    'resource.' || facts, subject, NEW.id, record;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION record_event_of_drift() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  record json := to_json(NEW);
BEGIN
  INSERT INTO events (account_id, position, type, subject_type, subject_id, record)
  VALUES (NEW.account_id, event_position(), 'drift.found', 'drift', NEW.id, record);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION record_event_of_alert() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  record json := to_json(NEW);
  was_raised boolean := TG_OP = 'UPDATE' AND OLD.finished_at IS NULL;
  is_raised boolean := NEW.finished_at IS NULL;
BEGIN
  IF TG_OP = 'INSERT' OR was_raised <> is_raised THEN
    INSERT INTO events (account_id, position, type, subject_type, subject_id, record)
    SELECT NEW.account_id, greatest(event_position(),
        (SELECT position FROM events WHERE account_id = NEW.account_id AND subject_type = 'alert' AND subject_id = NEW.id::text
          AND request_id IS NULL ORDER BY position DESC LIMIT 1)),
      CASE WHEN is_raised THEN 'alert.raised' ELSE 'alert.finished' END, 'alert', NEW.id, record;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION record_event_of_disabled_webhook() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  record json := to_json(to_jsonb(NEW) - '{secret,previous_secret}'::text[]);
BEGIN
  INSERT INTO events (account_id, position, type, subject_type, subject_id, record, message)
  SELECT NEW.account_id, greatest(event_position(),
      (SELECT position FROM events WHERE account_id = NEW.account_id AND subject_type = 'webhook' AND subject_id = NEW.id::text
        AND request_id IS NULL ORDER BY position DESC LIMIT 1)),
    'webhook.disabled', 'webhook', NEW.id, record, NEW.disabled_reason;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_event_of_acceptance AFTER INSERT ON "requests" FOR EACH ROW EXECUTE FUNCTION record_event_of_acceptance();
CREATE OR REPLACE TRIGGER record_event_of_progress AFTER UPDATE ON "requests" FOR EACH ROW
  WHEN (OLD.started_at IS DISTINCT FROM NEW.started_at OR OLD.stage IS DISTINCT FROM NEW.stage
    OR OLD.rolling_back_since IS DISTINCT FROM NEW.rolling_back_since
    OR OLD.cancel_requested_at IS DISTINCT FROM NEW.cancel_requested_at
    OR OLD.waiting_for IS DISTINCT FROM NEW.waiting_for OR OLD.awaited_children < NEW.awaited_children
    OR OLD.leaked_resources <> NEW.leaked_resources OR OLD.finished_at IS DISTINCT FROM NEW.finished_at)
  EXECUTE FUNCTION record_event_of_progress();
CREATE OR REPLACE TRIGGER record_event AFTER INSERT ON "request_messages" FOR EACH ROW EXECUTE FUNCTION record_event_of_message();
CREATE OR REPLACE TRIGGER record_event AFTER INSERT ON "drifts" FOR EACH ROW EXECUTE FUNCTION record_event_of_drift();
CREATE OR REPLACE TRIGGER record_event AFTER INSERT OR UPDATE ON "alerts" FOR EACH ROW EXECUTE FUNCTION record_event_of_alert();
CREATE OR REPLACE TRIGGER record_event AFTER UPDATE ON "webhooks" FOR EACH ROW
  WHEN (OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL) EXECUTE FUNCTION record_event_of_disabled_webhook();

-- The names before, whose triggers would write each event twice.
DROP FUNCTION IF EXISTS tell_of_acceptance(),
  tell_of_alert(),
  tell_of_change(),
  tell_of_creation(),
  tell_of_disabled_webhook(),
  tell_of_drift(),
  tell_of_message(),
  tell_of_progress() CASCADE;
DROP FUNCTION IF EXISTS told_request(requests);
