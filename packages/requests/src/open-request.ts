import { type Db, insertInto, Prisma, type Request, type Tx } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import { type InputOf, type RequestType, requestTypes } from "./request-types.js";
import type { ResourceType } from "./resources.js";

export interface NewRequest<Name extends RequestType = RequestType> {
  type: Name;
  accountId: string;
  /** The user who asks; none where a parent Request or the automation does. */
  userId?: string;
  parentId?: string;
  resource: { type: ResourceType; id: string | number };
  input: InputOf<Name>;
  traceId: string;
  /** True where a Request that holds the resource already opens it: it does not queue behind that one. */
  sharesResource?: boolean;
  /** Chosen by a caller that must find its own row again; a new one otherwise. */
  id?: string;
}

/** A Request that was accepted: what its row says before any worker saw it. */
export type AcceptedRequest = Pick<
  Request,
  | "id"
  | "accountId"
  | "type"
  | "userId"
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

/** The statement that writes the rows of Requests, in their order, and the Requests as they will stand in them. */
export function insertRequests(wanted: NewRequest[]): { statement: Prisma.Sql; requests: AcceptedRequest[] } {
  const now = new Date();
  const rows = wanted.map(({ id, type, userId, parentId, resource, input, sharesResource, accountId, traceId }) => ({
    id: id ?? uuidv7(),
    accountId,
    type,
    userId: userId ?? null,
    parentId: parentId ?? null,
    resourceType: resource.type,
    resourceId: String(resource.id),
    traceId,
    createdAt: now,
    updatedAt: now,
    queueKey: sharesResource ? null : `${resource.type}/${resource.id}`,
    input,
    deadlineAt: new Date(now.getTime() + requestTypes[type].deadlineMinutes * 60_000),
  }));
  const requests = rows.map(({ queueKey: _, input: __, deadlineAt: ___, ...row }) => ({ ...row, ...UNTOUCHED }));
  return { statement: insertInto("requests", ...(rows as [(typeof rows)[number]])), requests };
}

/**
 * Accepts a Request: writes its row and whatever `inserts` holds (the resource's row, an idempotency key) in one
 * statement, so that all of it exists or none. The row is its own outbox: ringing the bell afterwards only saves time.
 */
export async function openRequest<Name extends RequestType>(
  db: Db | Tx,
  newRequest: NewRequest<Name>,
  inserts: Prisma.Sql[] = [],
): Promise<AcceptedRequest> {
  const { statement, requests } = insertRequests([newRequest as NewRequest]);
  const parts = inserts.map((insert, i) => Prisma.sql`i${Prisma.raw(String(i))} AS (${insert})`);
  await db.$queryRaw(parts.length === 0 ? statement : Prisma.sql`WITH ${Prisma.join(parts)} ${statement}`);
  return requests[0] as AcceptedRequest;
}

/** What no worker has set yet. */
const UNTOUCHED = {
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

/** A Request as its opener was answered: what the same call is told again when it is repeated. */
export function asAccepted(request: Request): AcceptedRequest {
  return { ...request, ...UNTOUCHED, updatedAt: request.createdAt };
}
