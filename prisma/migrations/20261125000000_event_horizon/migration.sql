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
  FROM event_clocks
$$;
