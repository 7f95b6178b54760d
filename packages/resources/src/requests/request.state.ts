import { Prisma } from "@gantry/db";
import type { AcceptedRequest } from "./request.row.js";
import { requestTypeDefinition } from "./request-types.js";

/** The states of a Request. The last three are final. */
export const REQUEST_STATES = [
  "pending",
  "running",
  "waiting",
  "cancelling",
  "rolling_back",
  "finished",
  "failed",
  "cancelled",
] as const;

export type RequestState = (typeof REQUEST_STATES)[number];

type Stated = Pick<
  AcceptedRequest,
  | "successful"
  | "waitingFor"
  | "awaitedChildren"
  | "rollingBackSince"
  | "cancelRequestedAt"
  | "startedAt"
  | "finishedAt"
>;

/** Returns the state of a Request. `STATE` computes the same in PostgreSQL. */
export function stateOf(row: Stated): RequestState {
  if (row.finishedAt && row.successful) return "finished";
  if (row.finishedAt) return row.cancelRequestedAt ? "cancelled" : "failed";
  if (row.cancelRequestedAt) return "cancelling";
  if (row.rollingBackSince) return "rolling_back";
  if (!row.startedAt) return "pending";
  return row.awaitedChildren > 0 || row.waitingFor ? "waiting" : "running";
}

/** The state of a Request in the table `requests`. */
export const STATE = Prisma.sql`(CASE
  WHEN finished_at IS NOT NULL AND successful THEN 'finished'
  WHEN finished_at IS NOT NULL AND cancel_requested_at IS NOT NULL THEN 'cancelled'
  WHEN finished_at IS NOT NULL THEN 'failed'
  WHEN cancel_requested_at IS NOT NULL THEN 'cancelling'
  WHEN rolling_back_since IS NOT NULL THEN 'rolling_back'
  WHEN started_at IS NULL THEN 'pending'
  WHEN awaited_children > 0 OR coalesce(waiting_for, '') <> '' THEN 'waiting'
  ELSE 'running' END)`;

/** The share of its stages that a Request has completed, in percent: 100 only if it succeeded. */
export function percentOf({ type, stage, successful }: Pick<AcceptedRequest, "type" | "stage" | "successful">): number {
  if (successful) return 100;
  const stages: readonly string[] = requestTypeDefinition(type)?.stages ?? [];
  const position = stage === null ? -1 : stages.indexOf(stage);
  return position < 0 ? 0 : Math.round((position / stages.length) * 100);
}
