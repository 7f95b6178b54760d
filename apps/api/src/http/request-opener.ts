import type { Prisma, Tx } from "@gantry/db";
import { openRequest, type QueuedRequest } from "@gantry/requests";
import {
  type AcceptedRequest,
  type InputOf,
  type RequestType,
  type ResourceType,
  requestTypeDefinition,
} from "@gantry/resources";
import { z } from "zod";
import { estimate, estimateSchema } from "./plans/estimate.js";
import { groupEqual, type PlannedResource, plannedResource } from "./plans/planned-resource.js";
import { assertNotBeingRemoved, assertRemovable, lockConflicts } from "./request-conflicts.js";

export const planSchema = z
  .object({
    stages: z.array(z.string()).describe("The stages, in order"),
    requests: z.array(z.string()).describe("The types of the Requests that would be created"),
    creates: z.array(z.string()).describe("The kinds of cloud objects that may be created"),
    removes: z.array(z.string()).describe("The kinds of cloud objects that may be removed"),
    resources: z.array(plannedResource).optional().describe("The resources that would be created"),
    estimate: estimateSchema.nullable().optional().describe("Their cost in AWS"),
    estimate_note: z.string().optional().describe("Why there is no estimate"),
  })
  .meta({ id: "Plan" });

/** The plan of a Request of one type. */
export type Plan = z.infer<typeof planSchema>;

/** The accepted Request, or the plan in a dry run. */
export type OpenedRequest<Type extends RequestType = RequestType> =
  | { request: AcceptedRequest; extraFields?: ExtraFields; hideRequest?: boolean; type?: Type }
  | { plan: Plan };

/** The fields of a reply in addition to the Request. */
export type ExtraFields = Record<string, string>;

/** A handler's description of a Request, after all checks. */
export interface OpenOptions<Type extends RequestType> {
  accountId: string;
  resource: { type: ResourceType; id: string | number };
  input: InputOf<Type>;
  /** Inserts of the resource's own rows, carried out in one statement with the Request's; some need its id. */
  rows?: Prisma.Sql[] | ((requestId: string) => Prisma.Sql[]);
  /** The resources that the Request creates; called in a dry run only. */
  planned?: () => PlannedResource[] | Promise<PlannedResource[]>;
  extraFields?: ExtraFields;
  /** True if the reply is an empty object instead of the Request. */
  hideRequest?: boolean;
  /**
   * True if the handler has asked for removals of what the record needs: without a transaction nothing is checked here.
   */
  removalsAsked?: boolean;
}

/** The frame's part of creating a Request. */
export interface OpenContext {
  db: Tx;
  inTransaction: boolean;
  userId: string | undefined;
  traceId: string;
  dryRun: boolean;
  /** The insert of the caller's idempotency key for a Request. */
  keyFor: ((requestId: string, accountId: string, extraFields: ExtraFields | undefined) => Prisma.Sql) | undefined;
  /** The insert of the audit record of a Request; absent if the frame writes the record of the call. */
  auditOf: ((act: { accountId: string; subject: string; requestId: string }) => Prisma.Sql) | undefined;
  /**
   * Returns the number of unfinished Requests of the account.
   *
   * @throws 429 if the account has as many as it may have
   */
  requireCapacity(accountId: string): Promise<number>;
  onAccepted(request: AcceptedRequest & QueuedRequest): void;
}

export type Open = <Type extends RequestType>(type: Type, options: OpenOptions<Type>) => Promise<OpenedRequest<Type>>;

/**
 * The function by which a handler accepts a Request: one statement writes the Request, the resource, the key and the
 * audit record. It checks for conflicts before and after, and throws 409; a dry run checks the same.
 */
export function requestOpener(context: OpenContext, newId: () => string): Open {
  return async (type, options) => {
    const { accountId, resource, input, rows = [], planned, extraFields = {}, hideRequest = false } = options;
    const { db, userId, traceId, dryRun, keyFor, auditOf, requireCapacity, onAccepted } = context;
    const asks = !options.removalsAsked;
    if (asks && !context.inTransaction)
      throw new Error(`the conflicts of ${type} must be checked inside a transaction`);
    if (asks) await lockConflicts(db, type, accountId);
    await assertRemovable(db, type, { accountId, resource });
    const ahead = dryRun ? 0 : await requireCapacity(accountId);
    const id = newId();
    const inserts = typeof rows === "function" ? rows(id) : rows;
    const key = keyFor ? [keyFor(id, accountId, hideRequest ? undefined : extraFields)] : [];
    const record = auditOf ? [auditOf({ accountId, subject: `${resource.type}/${resource.id}`, requestId: id })] : [];
    const user = userId === undefined ? {} : { userId };
    const newRequest = { id, type, accountId, ...user, resource, input, traceId };
    const request = await openRequest(db, newRequest, [...inserts, ...key, ...record]);
    if (asks) await assertNotBeingRemoved(db, type, { resource, input });
    if (dryRun) return { plan: { ...planOf(type), ...(planned && costsOf(await planned())) } };
    onAccepted({ ...request, ahead });
    return { request, extraFields, hideRequest };
  };
}

function planOf(type: RequestType): Plan {
  const { stages, opens = [], creates = [], removes = [] } = requestTypeDefinition(type);
  return { stages: [...stages], requests: [type, ...opens], creates: [...creates], removes: [...removes] };
}

function costsOf(planned: PlannedResource[]): Pick<Plan, "resources" | "estimate" | "estimate_note"> {
  const resources = groupEqual(planned);
  return { resources, ...estimate(resources) };
}
