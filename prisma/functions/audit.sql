-- Moves up to 1,000 pending records, of one chain or of all, into their chains in the order of their times, and returns them.
-- These functions run with their owner's rights: the apps' user may neither change nor remove a record.
CREATE OR REPLACE FUNCTION move_audit_records(of_chain uuid) RETURNS SETOF audit_records
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  new pending_audit_records;
  new_chain uuid;
  last audit_records;
  content text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('gantry: link_audit_records', 0));
  FOR new IN
    WITH moving AS (
      DELETE FROM pending_audit_records
      WHERE id IN (
        SELECT id FROM pending_audit_records
        WHERE of_chain IS NULL OR coalesce(account_id, '00000000-0000-0000-0000-000000000000') = of_chain
        ORDER BY created_at, id LIMIT 1000)
      RETURNING *)
    SELECT * FROM moving ORDER BY created_at, id
  LOOP
    new_chain := coalesce(new.account_id, '00000000-0000-0000-0000-000000000000');
    content := json_build_array(new.id::text, new.account_id::text, new.user_id::text, new.token_id::text, new.address,
      new.trace_id, new.action, new.subject, new.request_id::text, new.changes::text, new.status::text, new.reason,
      to_char(new.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text;
    SELECT * INTO last FROM audit_records WHERE chain = new_chain ORDER BY position DESC LIMIT 1;
    INSERT INTO audit_records (chain, position, hash, id, account_id, user_id, token_id, address, trace_id, action,
      subject, request_id, changes, status, reason, created_at)
    VALUES (new_chain, coalesce(last.position, 0) + 1,
      sha256(coalesce(last.hash, '') || convert_to(content, 'UTF8')), new.id, new.account_id, new.user_id, new.token_id,
      new.address, new.trace_id, new.action, new.subject, new.request_id, new.changes, new.status, new.reason,
      new.created_at)
    RETURNING * INTO last;
    RETURN NEXT last;
  END LOOP;
END $$;

-- For workers, which report the ends of chains: moves records of all chains and returns them, and the last record of each
-- chain into which link_audit_chain has moved any since.
CREATE OR REPLACE FUNCTION link_audit_records() RETURNS SETOF audit_records
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  RETURN QUERY SELECT * FROM move_audit_records(NULL);
  RETURN QUERY
    WITH reported AS (DELETE FROM unreported_audit_heads RETURNING chain)
    SELECT head.* FROM reported CROSS JOIN LATERAL (
      SELECT * FROM audit_records WHERE audit_records.chain = reported.chain ORDER BY position DESC LIMIT 1) AS head;
END $$;

-- For readers of one chain: moves its records and returns their number. A chain without pending records costs no wait for
-- those that move others.
CREATE OR REPLACE FUNCTION link_audit_chain(of_chain uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  moved integer;
BEGIN
  IF NOT EXISTS (SELECT FROM pending_audit_records
    WHERE coalesce(account_id, '00000000-0000-0000-0000-000000000000') = of_chain) THEN
    RETURN 0;
  END IF;
  SELECT count(*) INTO moved FROM move_audit_records(of_chain);
  IF moved > 0 THEN
    INSERT INTO unreported_audit_heads (chain) VALUES (of_chain) ON CONFLICT DO NOTHING;
  END IF;
  RETURN moved;
END $$;

-- A function with its owner's rights must not find what its caller made. PostgreSQL searches temporary tables first unless
-- the path names them, so it names them last.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION move_audit_records(uuid) SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION link_audit_records() SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION link_audit_chain(uuid) SET search_path = %I, pg_temp', current_schema());
END $$;

CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_records"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE OR REPLACE TRIGGER unchanged BEFORE UPDATE OR TRUNCATE ON "pending_audit_records"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
