import { type Db, insertInto, Prisma, type Tx, writeRows } from "@gantry/db";
import {
  type AcceptedRequest,
  type InputOf,
  type RequestType,
  type ResourceType,
  requestTypes,
  UNTOUCHED,
} from "@gantry/resources";
import { parentSpanOf } from "@gantry/telemetry";
import { v7 as uuidv7 } from "uuid";

export interface NewRequest<Type extends RequestType = RequestType> {
  type: Type;
  accountId: string;
  /** The requester; absent if a parent Request or the automation creates the Request. */
  userId?: string;
  /** True if the user is the service of a service token. */
  userIsService?: boolean;
  parentId?: string;
  resource: { type: ResourceType; id: string | number };
  input: InputOf<Type>;
  traceId: string;
  /** True for a child on its parent's resource, which must not queue behind the parent. */
  sharesResource?: boolean;
  /** The id of the row, if the caller needs to know it before; a new one if absent. */
  id?: string;
}

/** The statement that inserts Requests, in their order, and the Requests as it inserts them. */
export function insertRequests(newRequests: NewRequest[]): { statement: Prisma.Sql; requests: AcceptedRequest[] } {
  const now = new Date();
  const rows = newRequests.map(
    ({ id, type, userId, userIsService, parentId, resource, input, sharesResource, accountId, traceId }) => ({
      id: id ?? uuidv7(),
      accountId,
      type,
      userId: userId ?? null,
      userIsService: userIsService ?? false,
      parentId: parentId ?? null,
      resourceType: resource.type,
      resourceId: String(resource.id),
      traceId,
      parentSpan: parentSpanOf(parentId),
      createdAt: now,
      updatedAt: now,
      queueKey: sharesResource ? null : `${resource.type}/${resource.id}`,
      input,
      deadlineAt: new Date(now.getTime() + requestTypes[type].deadlineMinutes * 60_000),
    }),
  );
  const requests = rows.map(({ queueKey: _, deadlineAt: __, parentSpan: ___, ...row }) => ({ ...row, ...UNTOUCHED }));
  return { statement: insertInto("requests", ...(rows as [(typeof rows)[number]])), requests };
}

/**
 * Accepts a Request: writes its row and the `inserts` (the resource's row, an idempotency key) in one statement, all or
 * none. The row is its own outbox: adding its job afterwards only saves time.
 */
export async function createRequest<Type extends RequestType>(
  db: Db | Tx,
  newRequest: NewRequest<Type>,
  inserts: Prisma.Sql[] = [],
): Promise<AcceptedRequest> {
  const { statement, requests } = insertRequests([newRequest as NewRequest]);
  const ctes = inserts.map((insert, i) => Prisma.sql`i${Prisma.raw(String(i))} AS (${insert})`);
  await writeRows(db, ctes.length === 0 ? statement : Prisma.sql`WITH ${Prisma.join(ctes)} ${statement}`);
  return requests[0] as AcceptedRequest;
}
