import type { Prisma, Tx } from "@gantry/db";
import {
  type AcceptedRequest,
  type InputOf,
  openRequest,
  type RequestType,
  type ResourceType,
  requestTypeDefinition,
} from "@gantry/requests";
import { z } from "zod";

export const planSchema = z
  .object({
    stages: z.array(z.string()).describe("The stages in their order"),
    requests: z.array(z.string()).describe("The types of the Requests that would be opened"),
    creates: z.array(z.string()).describe("The kinds of cloud objects that may be made"),
    removes: z.array(z.string()).describe("The kinds of cloud objects that may be removed"),
  })
  .meta({ id: "Plan" });

/** What a Request of a type would do. */
export type Plan = z.infer<typeof planSchema>;

/** What came of asking for work: the Request, or the plan where only that was wanted. */
export type OpenedRequest<Name extends RequestType = RequestType> =
  | { request: AcceptedRequest; extraFields?: ExtraFields; hideRequest?: boolean; asked?: Name }
  | { plan: Plan };

/** What an answer says beside the Request. */
export type ExtraFields = Record<string, string>;

/** What a handler says of the work it asks for, once everything was checked. */
export interface OpenOptions<Name extends RequestType> {
  accountId: string;
  resource: { type: ResourceType; id: string | number };
  input: InputOf<Name>;
  /** Statements that write the resource's own rows, in one with the Request; some name it by its id. */
  rows?: Prisma.Sql[] | ((requestId: string) => Prisma.Sql[]);
  extraFields?: ExtraFields;
  /** True where the answer is an empty object instead of the Request. */
  hideRequest?: boolean;
}

/** What the frame knows of the caller's input, beside what the handler says. */
export interface OpenContext {
  db: Tx;
  userId: string | undefined;
  traceId: string;
  dryRun: boolean;
  /** The insert of the caller's idempotency key, made for the Request's id. */
  keyFor: ((requestId: string, extraFields: ExtraFields | undefined) => Prisma.Sql) | undefined;
  onAccepted(request: AcceptedRequest): void;
}

export type Open = <Name extends RequestType>(type: Name, opening: OpenOptions<Name>) => Promise<OpenedRequest<Name>>;

/** Makes the function by which a handler accepts a Request: one statement, which holds the resource and the key too. */
export function requestOpener(context: OpenContext, newId: () => string): Open {
  return async (type, { accountId, resource, input, rows = [], extraFields = {}, hideRequest = false }) => {
    if (context.dryRun) return { plan: planOf(type) };
    const { db, userId, traceId, keyFor, onAccepted } = context;
    const id = newId();
    const own = typeof rows === "function" ? rows(id) : rows;
    const inserts = keyFor ? [...own, keyFor(id, hideRequest ? undefined : extraFields)] : own;
    const asker = userId === undefined ? {} : { userId };
    const request = await openRequest(db, { id, type, accountId, ...asker, resource, input, traceId }, inserts);
    onAccepted(request);
    return { request, extraFields, hideRequest };
  };
}

function planOf(type: RequestType): Plan {
  const { stages, opens = [], creates = [], removes = [] } = requestTypeDefinition(type);
  return { stages: [...stages], requests: [type, ...opens], creates: [...creates], removes: [...removes] };
}
