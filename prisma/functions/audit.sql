-- Moves up to 1,000 pending records into their chains, in the order of their times, and returns them. It runs with its
-- owner's rights: the apps' user may neither change nor remove a record.
CREATE OR REPLACE FUNCTION link_audit_records() RETURNS SETOF audit_records
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
      WHERE id IN (SELECT id FROM pending_audit_records ORDER BY created_at, id LIMIT 1000) RETURNING *)
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

-- A function with its owner's rights must not find what its caller made. PostgreSQL searches temporary tables first unless
-- the path names them, so it names them last.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION link_audit_records() SET search_path = %I, pg_temp', current_schema());
END $$;
