SELECT count(*) FROM requests r
WHERE r.finished_at IS NULL AND (r.lease_until >= now() OR (
  r.finished_at IS NULL AND r.next_run_at <= now() AND (r.lease_until IS NULL OR r.lease_until < now())
  AND (r.started_at IS NOT NULL OR NOT EXISTS (
    SELECT 1 FROM requests earlier
    WHERE earlier.queue_key = r.queue_key AND earlier.finished_at IS NULL AND earlier.id <> r.id
      AND (earlier.seq < r.seq OR earlier.started_at IS NOT NULL)))))
