import { Status } from "../controls/status.js";

interface Stored {
  state: string;
  deleted_at: string | null;
  disappeared_at?: string | null;
}

/** The state of a volume or snapshot; "gone" if it disappeared from AWS without a Request. */
export function StoredStatus({ record: { state, deleted_at, disappeared_at } }: { record: Stored }) {
  return <Status state={deleted_at ? "removed" : disappeared_at ? "gone" : state} />;
}
