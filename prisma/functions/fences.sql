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
