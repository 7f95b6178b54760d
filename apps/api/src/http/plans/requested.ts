import type { Prisma, Tx } from "@gantry/db";
import {
  type AcceptedRequest,
  type InputOf,
  type PlannedChange,
  plannedChange,
  type RequestType,
  type ResourceType,
} from "@gantry/resources";
import { z } from "zod";
import type { Caller } from "../auth/caller.js";
import { estimateSchema } from "./estimate.js";
import { type PlannedResource, plannedResource } from "./planned-resource.js";
import { removedRecord } from "./removed-records.js";

export const planSchema = z
  .object({
    stages: z.array(z.string()).describe("The stages, in order"),
    requests: z.array(z.string()).describe("The types of the Requests that would be created"),
    creates: z.array(z.string()).describe("The kinds of cloud objects that may be created"),
    removes: z.array(z.string()).describe("The kinds of cloud objects that may be removed"),
    removes_records: z.array(removedRecord).optional().describe("The records that would be removed"),
    resources: z.array(plannedResource).optional().describe("The resources that would be created"),
    estimate: estimateSchema.nullable().optional().describe("Their cost in AWS"),
    estimate_note: z.string().optional().describe("Why there is no estimate"),
    warnings: z.array(z.string()).optional().describe("Why the Request would fail, although it would be accepted"),
    changes: z.array(plannedChange).optional().describe("The values that would change in place"),
  })
  .meta({ id: "Plan" });

/** The plan of a Request of one type. */
export type Plan = z.infer<typeof planSchema>;

/** The accepted Request, or the plan in a dry run. */
export type CreatedRequest<Type extends RequestType = RequestType> =
  | { request: AcceptedRequest; extraFields?: ExtraFields; hideRequest?: boolean; type?: Type }
  | { plan: Plan };

/** The fields of a reply in addition to the Request. */
export type ExtraFields = Record<string, string>;

/** What a function that accepts a Request for a handler needs of it. */
export interface Accepting {
  caller: Caller;
  db: Tx;
  createRequest: CreateRequest;
}

/** A handler's description of a Request, after all checks. */
export interface RequestOptions<Type extends RequestType> {
  accountId: string;
  resource: { type: ResourceType; id: string | number };
  input: InputOf<Type>;
  /** Inserts of the resource's own rows, carried out in one statement with the Request's; some need its id. */
  rows?: Prisma.Sql[] | ((requestId: string) => Prisma.Sql[]);
  /** The resources that the Request creates; called in a dry run only. */
  planned?: () => PlannedResource[] | Promise<PlannedResource[]>;
  /** The resources that the Request removes, for the difference in cost; called in a dry run only. */
  removed?: () => PlannedResource[] | Promise<PlannedResource[]>;
  /** Why the Request will fail, although the specification has it accepted; shown in a dry run. */
  warnings?: readonly string[];
  /** What the Request changes in place; called in a dry run only. */
  changes?: () => ChangeInPlace | Promise<ChangeInPlace>;
  extraFields?: ExtraFields;
  /** True if the reply is an empty object instead of the Request. */
  hideRequest?: boolean;
  /** True if the handler has checked that nothing that the record needs is being removed; then it needs no transaction. */
  conflictsChecked?: boolean;
}

/** What a Request changes, and the resource with and without the changes if it costs something. */
export type ChangeInPlace = { changes: PlannedChange[] } & (
  | { before: PlannedResource; after: PlannedResource }
  | { before?: never; after?: never }
);

/** Accepts a Request. */
export type CreateRequest = <Type extends RequestType>(
  type: Type,
  options: RequestOptions<Type>,
) => Promise<CreatedRequest<Type>>;
