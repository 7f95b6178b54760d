import { z } from "zod";
import type { REQUEST_TYPE_NAMES } from "../request-type-names.js";

export type RequestTypeName = (typeof REQUEST_TYPE_NAMES)[number];

/** What one request type means. */
export interface RequestTypeDefinition {
  /** The type's name in `request_status`. */
  title: string;
  /** What the worker needs beyond the resource itself: frozen when the Request is accepted. */
  input: z.ZodObject;
  /** The stages in their order; the names are wire values. */
  stages: readonly [string, ...string[]];
  /** What a failure or a cancel leads to: removing what was made, or trying again later from where it stopped. */
  onFailure: "compensate" | "stop";
  /** True where the resource is still there afterwards, so that the Request links to it. */
  keepsResource: boolean;
  /** The time it may take in all, in minutes. */
  deadlineMinutes: number;
  /** What to do instead of retrying it, where a retry would not make sense. */
  insteadOfRetry?: string;
  /** The types of the Requests that it may open. */
  opens?: readonly RequestTypeName[];
  /** The cloud objects it may make and remove, for the plan that a dry run shows. */
  creates?: readonly string[];
  removes?: readonly string[];
}

export const none = z.object({});
export const provision = { onFailure: "compensate", keepsResource: true, deadlineMinutes: 30 } as const;
export const deprovision = { onFailure: "stop", keepsResource: false, deadlineMinutes: 60 } as const;
// Its resource can be read on, as deleted.
export const remove = { ...deprovision, keepsResource: true } as const;
export const change = { onFailure: "stop", keepsResource: true, deadlineMinutes: 30 } as const;
export const discover = { onFailure: "stop", keepsResource: true, deadlineMinutes: 15 } as const;

/** Rows of the table, by request type. */
export type RequestTypeDefinitions = Partial<Record<RequestTypeName, RequestTypeDefinition>>;
