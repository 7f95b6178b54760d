import type { Request } from "@gantry/db";

/** A Request as it is when accepted, before a worker changes it. */
export type AcceptedRequest = Pick<
  Request,
  | "id"
  | "accountId"
  | "type"
  | "input"
  | "userId"
  | "userIsService"
  | "parentId"
  | "resourceType"
  | "resourceId"
  | "stage"
  | "message"
  | "successful"
  | "waitingFor"
  | "awaitedChildren"
  | "rollingBackSince"
  | "cancelRequestedAt"
  | "startedAt"
  | "finishedAt"
  | "createdAt"
  | "updatedAt"
  | "wake"
  | "traceId"
>;

/** The columns that only workers set. */
export const UNTOUCHED = {
  stage: null,
  message: null,
  successful: false,
  waitingFor: null,
  awaitedChildren: 0,
  rollingBackSince: null,
  cancelRequestedAt: null,
  startedAt: null,
  finishedAt: null,
  wake: 0,
};

/** A Request as its acceptance showed it, for the reply to a repeated input. */
export function asAccepted(request: Request): AcceptedRequest {
  return { ...request, ...UNTOUCHED, updatedAt: request.createdAt };
}
