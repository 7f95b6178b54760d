/** An operation of the API, as a method of the client and a command of `gantry`. */
export interface Operation {
  /** The operationId. */
  id: string;
  /** The resource in camel case, such as `databaseServers`. */
  noun: string;
  /** The method of the resource, such as `create`. */
  verb: string;
  /** The method of HTTP. */
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `{name}` for an id, and `{name?}` for an id that is in the input. */
  path: string;
  /** The parameters of the path that the method takes first. */
  ids: string[];
  /** The parameters of the path that are in the input. */
  parents: string[];
  /** The parameters of the query, except those that the client sends by itself. */
  query: { name: string; schema: Schema }[];
  /** The schema of the body. */
  body?: Schema;
  /** What the method takes after the ids. */
  input: "input" | "query" | undefined;
  isInputRequired: boolean;
  /** Whether the operation has a dry run. */
  canPlan: boolean;
  /** `request`, `none`, `text`, `events`, `body`, `record:KEY` or `list:KEY`. */
  answer: string;
  /** The schema of the answer. */
  content?: Schema;
  /** The name of the schema of the noun's records. */
  record: string | undefined;
  summary: string;
}

interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  items?: Schema;
}

/** Returns the operations of an OpenAPI document that are neither another name of one nor always empty, in its order. */
export function tableOf(document: object): Operation[];

/** `database-servers` → `databaseServers` */
export function camel(text: string): string;

/** `database-servers` → `DatabaseServers` */
export function pascal(text: string): string;
