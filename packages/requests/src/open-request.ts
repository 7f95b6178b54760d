import { type Db, insertInto, Prisma, type Request, type Tx } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import { type InputOf, OPERATIONS, type OperationName, type ResourceType } from "./operations.js";

export interface NewRequest<Name extends OperationName = OperationName> {
  type: Name;
  accountId: string;
  /** The user who asks; none where a parent Request or the automation does. */
  userId?: string;
  parentId?: string;
  resource: { type: ResourceType; id: string | number };
  input: InputOf<Name>;
  traceId: string;
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
  | "rollingBackSince"
  | "cancelRequestedAt"
  | "startedAt"
  | "finishedAt"
  | "createdAt"
  | "updatedAt"
  | "wake"
  | "traceId"
>;

/**
 * Accepts a Request: writes its row and whatever `inserts` holds (the resource's row, an idempotency key) in one
 * statement, so that all of it exists or none. The row is its own outbox: ringing the bell afterwards only saves time.
 */
export async function openRequest<Name extends OperationName>(
  db: Db | Tx,
  request: NewRequest<Name>,
  inserts: Prisma.Sql[] = [],
): Promise<AcceptedRequest> {
  const { type, accountId, userId, parentId, resource, input, traceId } = request;
  const now = new Date();
  const stored = {
    id: request.id ?? uuidv7(),
    accountId,
    type,
    userId: userId ?? null,
    parentId: parentId ?? null,
    resourceType: resource.type,
    resourceId: String(resource.id),
    traceId,
    createdAt: now,
    updatedAt: now,
  };
  const minutes = OPERATIONS[type].deadlineMinutes;
  const row = insertInto("requests", { ...stored, input, deadlineAt: new Date(now.getTime() + minutes * 60_000) });
  const parts = inserts.map((insert, i) => Prisma.sql`i${Prisma.raw(String(i))} AS (${insert})`);
  await db.$executeRaw(parts.length === 0 ? row : Prisma.sql`WITH ${Prisma.join(parts)} ${row}`);
  return {
    ...stored,
    stage: null,
    message: null,
    successful: false,
    waitingFor: null,
    rollingBackSince: null,
    cancelRequestedAt: null,
    startedAt: null,
    finishedAt: null,
    wake: 0,
  };
}

/** A Request as its opener was answered: what the same call is told again when it is repeated. */
export function asAccepted(request: Request): AcceptedRequest {
  return {
    ...request,
    stage: null,
    message: null,
    successful: false,
    waitingFor: null,
    rollingBackSince: null,
    cancelRequestedAt: null,
    startedAt: null,
    finishedAt: null,
    updatedAt: request.createdAt,
    wake: 0,
  };
}
