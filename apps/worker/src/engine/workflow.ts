import type { Vault } from "@gantry/db";
import type { InputOf, RequestType, requestTypes, StageOf } from "@gantry/requests";
import type { Children } from "./children.js";
import type { CloudLocation, CloudScope } from "./cloud-scope.js";
import type { FencedDb } from "./fenced-db.js";

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
  cloud(location: CloudLocation): CloudScope<Cloud>;
  children: Children;
  /** Opens the sealed secrets of records; what it opens is handed to the cloud and kept nowhere. */
  vault: Pick<Vault, "open">;
}

export type Stage<Cloud, Input> = (context: StageContext<Cloud, Input>) => Promise<void>;

type UndoOf<Cloud, Name extends RequestType> = (typeof requestTypes)[Name]["onFailure"] extends "compensate"
  ? {
      /** Marks the record as deleted after everything made for it is removed. */
      discard: Stage<Cloud, InputOf<Name>>;
      /** Undoes the work of finished child Requests, after unfinished ones are cancelled. */
      undo?: Stage<Cloud, InputOf<Name>>;
    }
  : { discard?: never; undo?: never };

/**
 * The work of one request type. The engine runs the stages in the order of the request-type table; each may run again
 * from its start after a wait, an error or a crash, so everything in a stage must be repeatable.
 */
export type Workflow<Cloud, Name extends RequestType = RequestType> = {
  type: Name;
  stages: Record<StageOf<Name>, Stage<Cloud, InputOf<Name>>>;
} & UndoOf<Cloud, Name>;

/** Gives the function that declares workflows on one cloud; the compiler asks for every stage of the type. */
export function workflow<Cloud>() {
  return <Name extends RequestType>(definition: Workflow<Cloud, Name>): Workflow<Cloud, Name> => definition;
}

/** Any workflow, as the engine holds it. */
export interface AnyWorkflow<Cloud> {
  type: RequestType;
  stages: Record<string, Stage<Cloud, never>>;
  discard?: Stage<Cloud, never>;
  undo?: Stage<Cloud, never>;
}
