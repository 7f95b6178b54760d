import { field } from "./fields.js";
import { iso, isoOrNull, timestamp } from "./record.js";

interface Timestamped {
  createdAt: Date;
  updatedAt: Date;
}

/** The fields of a record that is created and changed. */
export const timestamps = { created_at: timestamp, updated_at: timestamp };

/** The fields of a record that is created, changed and deleted. */
export const deletableTimestamps = { ...timestamps, deleted_at: field(timestamp.nullable(), null) };

/** The field of a record whose removal takes several objects of AWS, and may fail between two of them. */
export const removalStarted = field(
  timestamp.nullable(),
  null,
  "When its removal began. Until `deleted_at`, some of its objects may remain, and nothing new can use it",
);

export function timestampsOf({ createdAt, updatedAt }: Timestamped) {
  return { created_at: iso(createdAt), updated_at: iso(updatedAt) };
}

export function deletableTimestampsOf(row: Timestamped & { deletedAt: Date | null }) {
  return { ...timestampsOf(row), deleted_at: isoOrNull(row.deletedAt) };
}
