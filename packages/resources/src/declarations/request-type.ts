import { z } from "zod";

/** The meaning of one request type. `Name` is a request type, `Resource` a resource type. */
export interface RequestTypeDefinition<Name extends string = string, Resource extends string = string> {
  /** The type's name in `request_status`. */
  title: string;
  /** The data that the worker needs beyond the resource itself; fixed when the Request is accepted. */
  input: z.ZodObject;
  /** The stages in their order; the names are wire values. */
  stages: readonly [string, ...string[]];
  /** The result of a failure or a cancel: removing what the Request made, or keeping it for a retry, which begins anew. */
  onFailure: "compensate" | "stop";
  /** True if the resource can still be read afterwards, so that the Request links to it. */
  keepsResource: boolean;
  /** The longest time that a Request may take, in minutes. */
  deadlineMinutes: number;
  /** True if the API shows neither status, stages nor dependencies of a Request. */
  quiet?: true;
  /** The advice in the error of a refused retry, for a type that is never retried. */
  insteadOfRetry?: string;
  /** The types of the Requests that a Request may create. */
  children?: readonly Name[];
  /** The type of the record that a Request removes: its own. Absent if it removes none. */
  removesRecord?: Resource;
  /** The types of the records that a Request removes with its own, by children that queue behind other Requests on them. */
  removesToo?: readonly Resource[];
  /** The removals that a Request does by children: the fields of its input with the ids, and the type for each of them. */
  removesEach?: Readonly<Record<string, Name>>;
  /**
   * The records that a Request uses in addition to its own and those that it needs: the fields of its input with their
   * ids.
   */
  uses?: Readonly<Record<string, Resource>>;
  /** True if it adds records that need its own: a removal that queued behind it was checked before they were there. */
  addsDependents?: true;
  /** True if a removal that queues behind a Request cancels it, since it would remove all that the Request creates. */
  cancelledByRemoval?: true;
  /** The kinds of cloud objects that a Request may create and remove: the plan that a dry run shows. */
  creates?: readonly string[];
  removes?: readonly string[];
}

const input = z.object({});
export const provision = { input, onFailure: "compensate", keepsResource: true, deadlineMinutes: 30 } as const;
export const deprovision = { input, onFailure: "stop", keepsResource: false, deadlineMinutes: 60 } as const;
// The API still shows the resource, as deleted.
export const remove = { ...deprovision, keepsResource: true } as const;
export const change = { input, onFailure: "stop", keepsResource: true, deadlineMinutes: 30 } as const;
export const discover = { input, onFailure: "stop", keepsResource: true, deadlineMinutes: 15 } as const;

/** Rows of the table, by request type. */
export type RequestTypeDefinitions = Readonly<Record<string, RequestTypeDefinition>>;
