/** A change of a queue or of a job, as the board sends it. */
export interface QueueAction {
  /** Such as `pause queue`. */
  action: string;
  /** Such as `queue/requests` or `job/0190c4a2-1111-7111-8111-111111111111`. */
  subject: string;
  changes: Record<string, string>;
}

const PATHS = [
  /^\/api\/queues\/(?<verb>pause|resume)$/,
  /^\/api\/queues\/(?<queue>[\w-]+)\/(?<verb>pause|resume|promote)$/,
  /^\/api\/queues\/(?<queue>[\w-]+)\/(?<verb>clean)\/(?<state>completed|failed|delayed|wait|waiting|prioritized)$/,
  /^\/api\/queues\/(?<queue>[\w-]+)\/(?<job>[\da-f-]{36})\/(?<verb>promote|clean)$/,
];

/**
 * Returns the action of an input, or undefined if it is not allowed. Every allowed action leaves all Requests as the
 * database has it: the sweep restores the jobs of due Requests.
 */
export function actionOf(method: string, path: string): QueueAction | undefined {
  if (method !== "PUT") return undefined;
  const groups = PATHS.map((pattern) => pattern.exec(path)?.groups).find((found) => found !== undefined);
  if (!groups) return undefined;
  const { verb = "", queue = "all", job, state } = groups;
  if (job === undefined)
    return { action: `${verb} queue`, subject: `queue/${queue}`, changes: state === undefined ? {} : { state } };
  return { action: `${verb === "clean" ? "remove" : verb} job`, subject: `job/${job}`, changes: { queue } };
}
