-- Refuses the transaction of a worker that was replaced, and holds off a takeover until this one commits. Returns the time
-- when a cancel was requested.
CREATE OR REPLACE FUNCTION hold_request(request uuid, held integer) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE cancelled timestamptz;
BEGIN
  SELECT cancel_requested_at INTO cancelled FROM requests
  WHERE id = request AND fence = held AND lease_until IS NOT NULL FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'fence % of request % is no longer held', held, request USING ERRCODE = 'GF001';
  END IF;
  RETURN cancelled;
END $$;

-- As hold_request, for a write after which the failures before it no longer count. Updates first, because two holders of a
-- shared lock would wait for each other; a refusal undoes the update.
CREATE OR REPLACE FUNCTION hold_progressed_request(request uuid, held integer) RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
  UPDATE requests SET stage_attempts = 0, cloud_wait = NULL WHERE id = request;
  RETURN hold_request(request, held);
END $$;
