import type { PlannedChange } from "../declarations/changes.js";

/** A rotation of a database's credentials as a plan shows it: without the passwords. RDS keeps one for each master user. */
export const credentialsRotation: PlannedChange = {
  field: "password",
  from: null,
  to: null,
  effect: "Open connections stay open; new ones need the new password as soon as RDS has applied it.",
  away_seconds: null,
  undo: "Cancel the Request before it ends, or rotate the credentials again.",
};
