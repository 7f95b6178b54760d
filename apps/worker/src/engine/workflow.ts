import type { Vault } from "@gantry/db";
import type { InputOf, RequestType, requestTypes, StageOf } from "@gantry/resources";
import type { Children } from "./children.js";
import type { CloudLocation, CloudScope } from "./cloud-scope.js";
import type { FencedDb } from "./fenced-db.js";

/** An address of the API that takes reports for one Request, and the token that each report must contain. */
export interface Callback {
  url: string;
  token: string;
}

/** Everything that a stage works with. Each write throws LeaseLost once another worker has taken the Request over. */
export interface StageContext<Cloud, Input> {
  request: { id: string; accountId: string };
  /** The id of the record that the Request works on. */
  resourceId: string;
  input: Input;
  /**
   * Returns the address to which objects of the Request report; undefined if they send no reports.
   *
   * @throws PermanentFailure if reports are required and could not arrive
   */
  callback(): Callback | undefined;
  db: FencedDb;
  /** Opens one region of one provider. */
  cloud(location: CloudLocation): CloudScope<Cloud>;
  children: Children;
  /** Records that a repetition of the stage continues from here; the count of its attempts restarts. */
  recordProgress(): void;
  /** Returns the time since the stage was first entered. */
  minutesInStage(): number;
  /** Decrypts and encrypts secrets of records; a stage passes them to the cloud, and keeps them only encrypted. */
  vault: Pick<Vault, "decrypt" | "encrypt">;
}

/** One stage of a workflow. It may be run again from its start after a wait, an error or a crash. */
export type Stage<Cloud, Input> = (context: StageContext<Cloud, Input>) => Promise<void>;

type UndoOf<Cloud, Name extends RequestType> = (typeof requestTypes)[Name]["onFailure"] extends "compensate"
  ? {
      /** Marks the record as deleted, after everything made for it is removed. */
      discard: Stage<Cloud, InputOf<Name>>;
      /** Undoes the work of finished child Requests, after unfinished ones are cancelled. */
      undo?: Stage<Cloud, InputOf<Name>>;
    }
  : { discard?: never; undo?: never };

/** The stages of one request type, which the engine runs in the order of the request-type table. */
export type Workflow<Cloud, Name extends RequestType = RequestType> = {
  type: Name;
  stages: Record<StageOf<Name>, Stage<Cloud, InputOf<Name>>>;
} & UndoOf<Cloud, Name>;

/** Returns the function that declares workflows on one cloud; the compiler asks for every stage of the type. */
export function workflow<Cloud>() {
  return <Name extends RequestType>(definition: Workflow<Cloud, Name>): Workflow<Cloud, Name> => definition;
}

/** A workflow of any type. */
export interface AnyWorkflow<Cloud> {
  type: RequestType;
  stages: Record<string, Stage<Cloud, never>>;
  discard?: Stage<Cloud, never>;
  undo?: Stage<Cloud, never>;
}
