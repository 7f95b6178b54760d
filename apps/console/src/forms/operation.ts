/** A field of the body of an operation, or a flag of its query, which a person fills in. */
export interface OperationField {
  /** Where the body has it, such as `network.cidr`. */
  path: string;
  kind: "text" | "secret" | "number" | "flag" | "choice" | "record" | "list" | "time" | "tags" | "json";
  /** For a choice, and for a list of words that are known. */
  choices?: (string | number)[];
  /** For a record: the list that has it, whether that list is filtered by the account. */
  records?: { path: string; key: string; isFiltered?: true };
  isRequired?: true;
  /** True for a parameter of the query instead of a field of the body. */
  isQuery?: true;
  /** True if null has a meaning. */
  isNullable?: true;
  hint?: string;
  default?: unknown;
  example?: string;
}

/** An operation of the API as `openapi.json` describes it. A page imports it by its id: `operation:createNetwork`. */
export interface Operation {
  id: string;
  method: "POST" | "PUT" | "PATCH" | "DELETE" | "GET";
  /** With `{name}` for an id. */
  path: string;
  canPlan: boolean;
  /** `request` if the operation only begins something. */
  answer: string;
  summary: string;
  fields: OperationField[];
  /** The least role of those who may call it; undefined if anyone may. */
  role?: "viewer" | "member" | "admin";
  isStaff: boolean;
}
