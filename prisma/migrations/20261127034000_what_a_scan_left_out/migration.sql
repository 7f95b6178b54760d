-- The objects that a scan of a region did not compare, which its report shows.
ALTER TABLE "drift_places" ADD COLUMN "left_out" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];
