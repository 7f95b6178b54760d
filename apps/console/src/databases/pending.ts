/** What waits for a maintenance window: `flavor db.m7g.large, storage 200`. */
export function pendingText(pending: object): string {
  return Object.entries(pending)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`)
    .join(", ");
}
