const CHANGES = /^(modify|update|rotate|attach|detach|reattach|instance)_/;
const REMOVALS = /^(deprovision|destroy|remove)_/;

/** What a cancel does, by the type of the Request: a creation is removed, and a change is taken back. */
export function cancelText(type: string): string {
  if (type === "scale_environment")
    return "The servers that it has added go again. If it has begun to remove servers, those are gone, and the added ones stay.";
  if (type === "promote_database_server")
    return "If AWS has begun to promote the replica, nothing undoes that: the cancel then only ends the waiting.";
  if (CHANGES.test(type))
    return "What stood before comes back. What AWS has accepted and cannot undo stays, such as larger storage; the record then shows it.";
  return "What it has made so far in AWS is removed.";
}

/** Whether a Request that ended badly has nothing of its own in AWS if nothing leaked. */
export function isCreation(type: string): boolean {
  return !CHANGES.test(type) && !REMOVALS.test(type) && type !== "scale_environment";
}
