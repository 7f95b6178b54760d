import type { Vault } from "@gantry/db";
import type { InputOf, OPERATIONS, OperationName, StageOf } from "@gantry/requests";
import type { Children } from "./children.js";
import type { FencedDb } from "./fenced-db.js";
import type { Hands, Place } from "./hands.js";

/** An address that takes reports for a Request, and the token that they must carry. */
export interface Callback {
  url: string;
  token: string;
}

/** What a stage works with. Everything it writes is refused once another worker has taken the Request over. */
export interface StageContext<Cloud, Input> {
  request: { id: string; accountId: string };
  /** The id of the record that the Request works on. */
  resourceId: string;
  input: Input;
  /** Where what the Request makes reports by itself; undefined where no address of the API is known. */
  callback: Callback | undefined;
  db: FencedDb;
  /** Hands in one region of one provider, for the objects of one record: the Request's own unless another is named. */
  cloud(place: Place): Hands<Cloud>;
  children: Children;
  /** Opens the sealed secrets of records; what it opens is handed to the cloud and kept nowhere. */
  vault: Pick<Vault, "open">;
}

export type Stage<Cloud, Input> = (context: StageContext<Cloud, Input>) => Promise<void>;

/** A request type's work: what each of its stages does. */
export interface Workflow<Cloud, Name extends OperationName = OperationName> {
  type: Name;
  stages: Record<StageOf<Name>, Stage<Cloud, InputOf<Name>>>;
  /** Marks the record as deleted after what was made for it is removed. */
  discard?: Stage<Cloud, InputOf<Name>>;
  /** Takes back what the Requests have made that it opened, after those that had not ended were cancelled. */
  undo?: Stage<Cloud, InputOf<Name>>;
}

type Discard<Cloud, Name extends OperationName> = (typeof OPERATIONS)[Name]["onFailure"] extends "compensate"
  ? [discard: Stage<Cloud, InputOf<Name>>, undo?: Stage<Cloud, InputOf<Name>>]
  : [];

/**
 * Gives the function that declares workflows on one cloud. Their stages are run in the order of the request-type table;
 * each may be run again from its start, after a wait, an error or a crash, so everything in it must bear repetition.
 */
export function workflow<Cloud>() {
  return <Name extends OperationName>(
    type: Name,
    stages: Record<StageOf<Name>, Stage<Cloud, InputOf<Name>>>,
    ...[discard, undo]: Discard<Cloud, Name>
  ): Workflow<Cloud, Name> => ({ type, stages, ...(discard && { discard }), ...(undo && { undo }) });
}

/** Any workflow, as the engine holds it. */
export interface AnyWorkflow<Cloud> {
  type: OperationName;
  stages: Record<string, Stage<Cloud, never>>;
  discard?: Stage<Cloud, never>;
  undo?: Stage<Cloud, never>;
}
